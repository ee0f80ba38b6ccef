import type { DeliveryDetail } from '@artist-watch/delivery/store/reads';
import { CHANGE_TYPES } from '@artist-watch/domain/change/change-types';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { isChat } from '@artist-watch/domain/channel/destination-kind';
import { adviceOn } from '@artist-watch/domain/delivery/attempt-errors';
import { whySkipped } from '@artist-watch/domain/delivery/delivery-state';
import type { DestinationRecord } from '@artist-watch/persistence/destination/reads';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { CodeBlock, Copyable } from '../../views/copyable.js';
import { ActionButton, Confirmation, Form, LinkButton, optionsOf, Select, TextField } from '../../views/form.js';
import { Badge, StateBadge, type Tone } from '../../views/icon.js';
import { Instant, Timeline } from '../../views/instant.js';
import { Facts, Live, PageHead, Section } from '../../views/page-head.js';
import { SEVERITY_OPTIONS } from '../../views/rules-fields.js';
import { Alert, Empty, WhyOff } from '../../views/states.js';
import { DeliveryTable } from '../../views/table.js';
import { counted, destinationTitle, durationText, LIST, numberText } from '../../views/text.js';
import { dayInWords, stateOf } from './list-view.js';
import type { FormProblem, readDestinationPage } from './query.js';
import { Rotation } from './secret-view.js';

interface DestinationProps extends Pick<Visit, 'link'>, Awaited<ReturnType<typeof readDestinationPage>> {
  readonly switchOffAfter: number;
  readonly isOwner: boolean;
  readonly problem: FormProblem | undefined;
}

export function destinationView(props: DestinationProps): VNode {
  const { link, destination, deliveries, isOwner, test, problem } = props;
  const { name, url, kind, consecutiveFailures: run, stats24h } = destination;
  const own = `/destinations/${destination.id}`;
  const action = (verb: string) => link(`${own}/${verb}`);
  const all = link(`/deliveries?destination=${destination.id}`);
  return (
    <>
      <PageHead
        title={destinationTitle(destination)}
        crumbs={[{ label: 'Channels', href: link('/destinations') }]}
        badges={
          <>
            <StateBadge state={stateOf(destination)} />
            <Badge tone="quiet">{changeTitle(kind)}</Badge>
          </>
        }
        actions={
          <>
            <LinkButton href={action('edit')} label="Edit" />
            <Switch {...props} />
          </>
        }
      />
      {problem && !problem.isName && <Alert tone="bad" title={problem.text} />}
      <WhyNothingIsSent {...props} />
      <Failing {...props} />
      <Section title="Channel">
        <Facts
          items={[
            ['ID', <Copyable text={destination.id} />],
            ['URL', <span class="long">{url}</span>],
            ['Last 24 hours', dayInWords(stats24h)],
            ['Failures in a row', run === 0 ? undefined : numberText(run)],
            ['Signed', isChat(kind) ? undefined : signedInWords(destination)],
            ['Headers', destination.headers.map(({ name }) => name).join(', ') || undefined],
            ['Standard Webhooks', destination.standardWebhooks ? 'Headers added' : undefined],
            ...rulesInWords(destination.rules),
            ['Created', <Instant at={destination.createdAt} />],
          ]}
        />
      </Section>
      <TestSection {...{ link, destinationId: destination.id, test }} />
      {!isChat(kind) && <Rotation {...destination} {...{ action, isOwner }} />}
      <Section title="Recent deliveries" actions={<a href={all}>All deliveries</a>}>
        <DeliveryTable
          caption="Recent deliveries"
          rows={deliveries}
          link={link}
          empty={<Empty title="No deliveries yet" icon="send" />}
        />
      </Section>
      {destination.notices.length > 0 && (
        <Section title="History">
          <Timeline
            entries={destination.notices.map(({ kind: notice, at, reason, consecutiveFailures }) => ({
              at,
              tone: NOTICE_TONES[notice] ?? 'quiet',
              title: notice === 'disabled' ? 'Disabled' : reason,
              details:
                consecutiveFailures > 0 &&
                !reason.includes(`${consecutiveFailures} fail`) &&
                `${consecutiveFailures} failures in a row at that time`,
            }))}
          />
        </Section>
      )}
      {isOwner && (
        <Section title="Delete">
          <Form action={action('delete')} button="Delete channel" look="danger">
            <TextField
              name="name"
              label={`Type “${name ?? url}” to confirm`}
              hint="Sending stops, and pending deliveries aren't sent. Past deliveries stay visible for 90 days. You can't undo this."
              autocomplete="off"
              required
              error={problem?.isName && problem.text}
            />
          </Form>
        </Section>
      )}
    </>
  );
}

function Switch({ destination: { id, state, pausedByPlan }, link }: DestinationProps): VNode | null {
  // While the channel is off, the page shows the button next to the other steps.
  if (pausedByPlan || state === 'off') return null;
  return (
    <Confirmation
      label="Disable"
      question="Sending stops. We keep pending and new changes, and you can send them later."
      action={link(`/destinations/${id}/disable`)}
    />
  );
}

const NOTICE_TONES: Readonly<Record<string, Tone>> = {
  warning: 'warn',
  switched_off: 'bad',
  enabled: 'good',
  resumed_by_plan: 'good',
};

function WhyNothingIsSent({ destination, lastAttempt, link }: DestinationProps): VNode | null {
  const { id, state, pausedByPlan, switchedOffAt, switchedOffReason } = destination;
  if (pausedByPlan) {
    return (
      <Alert tone="warn" title="Paused: your plan doesn't include channels of this kind">
        <p>Deliveries resume when you upgrade.</p>
      </Alert>
    );
  }
  if (state === 'active') return null;
  const isDisabled = stateOf(destination) === 'disabled';
  return (
    <Alert tone={isDisabled ? 'info' : 'bad'} title="We're keeping new changes until you enable this channel">
      <p>
        The channel <WhyOff reason={switchedOffReason} at={switchedOffAt} /> {!isDisabled && lastAttempt?.reason}
      </p>
      {!isDisabled && lastAttempt?.responseExcerpt && (
        <CodeBlock label="the last response" code={lastAttempt.responseExcerpt} />
      )}
      <div class="prose">
        <ol class="stack">
          {!isDisabled && (
            <li>
              <a href="#test">Send a test</a>. Repeat until it succeeds.
            </li>
          )}
          <li>
            <ActionButton action={link(`/destinations/${id}/enable`)}>Enable</ActionButton> Missed changes aren't sent
            automatically.
          </li>
          <li>
            <a href={link(`/deliveries/recover?destination=${id}`)}>Send missed changes</a>, with a preview first.
          </li>
        </ol>
      </div>
    </Alert>
  );
}

function Failing({ destination, lastAttempt, switchOffAfter, link }: DestinationProps): VNode | null {
  const { id, consecutiveFailures: run } = destination;
  if (stateOf(destination) !== 'failing') return null;
  return (
    <Alert tone="warn" title={`${counted(run, 'failure')} in a row`}>
      <p>
        {lastAttempt?.reason} After {switchOffAfter} failures in a row, we switch the channel off. One delivered change
        resets the count. Tests and resends don't change it.{' '}
        <a href={link(`/deliveries?destination=${id}`)}>View deliveries</a>
      </p>
      {lastAttempt?.responseExcerpt && <CodeBlock label="the last response" code={lastAttempt.responseExcerpt} />}
    </Alert>
  );
}

function signedInWords({ signed, nextSecretPending }: DestinationRecord): string {
  const now = signed ? 'Yes' : "No: receivers can't verify the sender";
  return nextSecretPending ? `${now}. The new secret isn't active yet.` : now;
}

function rulesInWords({ minSeverity, changeTypes, artistIds, groupIds }: DestinationRecord['rules']) {
  const [groups, artists] = [counted(groupIds.length, 'group'), counted(artistIds.length, 'artist')];
  return [
    ['Severity', SEVERITY_OPTIONS[minSeverity === null || minSeverity === 'info' ? '' : minSeverity]],
    ['Types', changeTypes.length === 0 ? 'All' : changeTypes.map(changeTitle).join(', ')],
    [
      'Artists',
      groupIds.length + artistIds.length === 0
        ? 'All'
        : LIST.format([groups, artists].filter((part) => !part.startsWith('0 '))),
    ],
  ] as const;
}

interface TestProps extends Pick<Visit, 'link'> {
  readonly destinationId: string;
  /** The last test sent from this page. */
  readonly test: DeliveryDetail | undefined;
}

function TestSection({ link, destinationId, test }: TestProps): VNode {
  return (
    <Section title="Test" id="test">
      <div class="columns">
        <Form action={link(`/destinations/${destinationId}/test`)} button="Send a test">
          <Select
            name="change_type"
            label="Sample change"
            hint="We send one request, even while the channel is off. It never counts as a failure. Up to 10 tests per minute."
            value="release_added"
            options={optionsOf(Object.keys(CHANGE_TYPES), changeTitle)}
          />
        </Form>
        <TestResultBox {...{ link, destinationId, test }} />
      </div>
    </Section>
  );
}

export function TestResultBox({ link, destinationId, test }: TestProps): VNode {
  const again = link(`/destinations/${destinationId}?test=${test?.id}`);
  const isUnderWay = test !== undefined && test.attempts.length === 0 && test.state === 'pending';
  return (
    <Live id="test-result" from={again} everySeconds={2} isOver={!isUnderWay}>
      <div aria-live="polite">{test && <TestResult {...{ link, again, test }} />}</div>
    </Live>
  );
}

function TestResult({ link, again, test }: Pick<TestProps, 'link'> & { again: string; test: DeliveryDetail }): VNode {
  const details = <a href={link(`/deliveries/${test.id}`)}>View test</a>;
  const [attempt] = test.attempts;
  if (!attempt) {
    return test.state === 'pending' ? (
      <Alert tone="info" title="Test in progress">
        <p>
          <a href={again}>Refresh</a>
        </p>
      </Alert>
    ) : (
      <Alert tone="warn" title="Test not sent">
        <p>
          {whySkipped(test.skippedReason)} {details}
        </p>
      </Alert>
    );
  }
  const { outcome, statusCode, error, reason, responseExcerpt } = attempt;
  const answer = statusCode === null ? 'No response' : `Your receiver responded with ${statusCode}`;
  const advice = error === null ? null : adviceOn(error);
  return (
    <div class="stack">
      <Alert
        tone={outcome === 'succeeded' ? 'good' : 'bad'}
        title={outcome === 'succeeded' ? 'The test arrived' : "The test didn't arrive"}
      >
        <p>{`${answer} after ${durationText(attempt)}.`}</p>
        {reason !== null && <p>{reason}</p>}
        {advice !== null && <p>{advice}</p>}
        <p>{details}</p>
      </Alert>
      {responseExcerpt && <CodeBlock label="the response" code={responseExcerpt} />}
    </div>
  );
}
