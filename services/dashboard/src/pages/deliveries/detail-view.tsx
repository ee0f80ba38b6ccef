import type { AttemptRecord } from '@artist-watch/delivery/store/record';
import { adviceOn } from '@artist-watch/domain/delivery/attempt-errors';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton } from '../../views/action.js';
import { SeverityBadge, StateBadge } from '../../views/badge.js';
import { CodeBlock, Copyable } from '../../views/copyable.js';
import { Icon } from '../../views/icon.js';
import { Instant } from '../../views/instant.js';
import { Facts, PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty } from '../../views/states.js';
import { Timeline } from '../../views/timeline.js';
import { nameOf, TRIGGER_WORDS, titleWithoutChange } from './list-view.js';
import type { readDelivery } from './query.js';

/** Older answers are read over the API: a page stays small whatever receivers say. */
const ANSWERS_SHOWN = 6;
const ATTEMPTS_SHOWN = 30;

interface DeliveryProps extends Pick<Visit, 'link'>, Awaited<ReturnType<typeof readDelivery>> {
  readonly problem?: string | undefined;
}

/** While it is pending, htmx asks for it again. */
export function deliveryView({ link, delivery, destination, problem }: DeliveryProps): VNode {
  const { change, trigger, state, attempts, request } = delivery;
  const to = nameOf(destination, delivery.destinationId);
  const last = attempts.at(-1);
  const own = link(`/deliveries/${delivery.id}`);
  const polling = {
    ...{ 'data-hx-get': own, 'data-hx-trigger': 'every 5s' },
    ...{ 'data-hx-target': '#delivery', 'data-hx-swap': 'outerMorph' },
  };
  return (
    <div id="delivery" class="live" {...(state === 'pending' && polling)}>
      <PageHead
        title={change?.summary ?? titleWithoutChange(trigger)}
        crumbs={[{ label: 'Deliveries', href: link('/deliveries') }]}
        badges={
          <>
            <StateBadge state={state} />
            {change && <SeverityBadge severity={change.severity} />}
          </>
        }
        actions={
          state !== 'pending' &&
          !destination?.isDeleted && (
            <ActionButton action={link(`/deliveries/${delivery.id}/resend`)}>
              <Icon name="send" />
              Send it again
            </ActionButton>
          )
        }
      />
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      {last?.outcome === 'failed' && state !== 'succeeded' && (
        <Alert tone={state === 'failed' ? 'bad' : 'warn'} title={faultOf(last)}>
          <Trouble attempt={last} />
        </Alert>
      )}
      <div class="columns">
        <Section title="Delivery">
          <Facts
            items={[
              ['Id', <Copyable text={delivery.id} />],
              [
                'To',
                destination && !destination.isDeleted ? (
                  <a href={link(`/destinations/${delivery.destinationId}`)}>{to}</a>
                ) : (
                  to
                ),
              ],
              ['Artist', change?.artistName],
              ['Change', delivery.changeId && <ChangeOf {...delivery} link={link} />],
              ['Cause', TRIGGER_WORDS[trigger]],
              ['Created', <Instant at={delivery.createdAt} />],
              ['Next attempt', delivery.nextAttemptAt && <Instant at={delivery.nextAttemptAt} isCountdown />],
              ['Settled', delivery.settledAt && <Instant at={delivery.settledAt} />],
              ['Skipped because', delivery.skippedReason],
            ]}
          />
        </Section>
        <Section title="Attempts">
          <Attempts {...delivery} />
        </Section>
      </div>
      <Section title="Request">
        {request === null ? (
          <p>The change is older than every history, and so is its request.</p>
        ) : (
          <>
            <p class="soft">All attempts send the same body. The signature is not shown.</p>
            <CodeBlock label="the request" code={requestText(request)} />
          </>
        )}
      </Section>
    </div>
  );
}

/** The change, where it is still kept: a test and a change that was pruned have no page. */
function ChangeOf({
  changeId,
  change,
  link,
}: Pick<DeliveryProps['delivery'], 'changeId' | 'change'> & Pick<DeliveryProps, 'link'>): VNode {
  return (
    <span class="row">
      <Copyable text={changeId ?? ''} />
      {change && <a href={link(`/changes/${changeId}`)}>Before, after and evidence</a>}
    </span>
  );
}

/** The newest first. A delivery that was sent again, or recovered, has rounds. */
function Attempts({ attempts, roundStart, state, skippedReason }: DeliveryProps['delivery']): VNode {
  const isSkipped = state === 'skipped';
  if (attempts.length === 0) {
    return isSkipped ? (
      <Empty title="No attempt was made, and none will be" icon="minus">
        <p>{skippedReason} It is sent only when you send it again, or recover what was missed.</p>
      </Empty>
    ) : (
      <Empty title="No attempt was made yet" icon="clock" />
    );
  }
  const newest = attempts.toReversed().slice(0, ATTEMPTS_SHOWN);
  const isAlerted = newest[0]?.outcome === 'failed' && state !== 'succeeded';
  const above = new Map(newest.slice(1).map((attempt, index) => [attempt, newest[index]]));
  const entry = (attempt: AttemptRecord) => ({
    at: attempt.startedAt,
    tone: attempt.outcome === 'succeeded' ? ('good' as const) : ('bad' as const),
    title: titleOf(attempt),
    details: (
      <>
        {attempt.outcome === 'failed' && (
          <Trouble
            attempt={attempt}
            isFaultNamed
            isSaid={attempt === newest[0] ? isAlerted : above.get(attempt)?.error === attempt.error}
          />
        )}
        {attempt.responseExcerpt !== null &&
          attempt.responseExcerpt !== '' &&
          answersShown.has(attempt) &&
          (above.get(attempt)?.responseExcerpt === attempt.responseExcerpt ? (
            <p>The same answer.</p>
          ) : (
            <CodeBlock label={`the answer to attempt ${attempt.number}`} code={attempt.responseExcerpt} />
          ))}
      </>
    ),
  });
  const answersShown = new Set(newest.slice(0, ANSWERS_SHOWN));
  const earlier = newest.filter(({ number }) => number <= roundStart);
  const present = newest.filter(({ number }) => number > roundStart);
  return (
    <>
      {roundStart > 0 && (
        <h3>
          {present.length > 0
            ? `This round, from attempt ${roundStart + 1} on`
            : isSkipped
              ? 'This round was skipped before an attempt'
              : 'This round has no attempt yet'}
        </h3>
      )}
      {present.length > 0 && <Timeline entries={present.map(entry)} />}
      {earlier.length > 0 && (
        <>
          <h3>Earlier</h3>
          <Timeline entries={earlier.map(entry)} />
        </>
      )}
      {attempts.length > ATTEMPTS_SHOWN && (
        <p class="soft">{attempts.length - ATTEMPTS_SHOWN} earlier attempts are shown by the API.</p>
      )}
    </>
  );
}

function titleOf({ number, outcome, statusCode, startedAt, endedAt }: AttemptRecord): string {
  const ms = Math.max(0, endedAt.getTime() - startedAt.getTime());
  const answer = statusCode === null ? 'no answer' : `answered ${statusCode}`;
  return `Attempt ${number} ${outcome}: ${answer} after ${ms}\u00a0ms`;
}

/** What happened, and unless the page has said it above, whose fault it is and what to do about it. */
function Trouble({
  attempt,
  isFaultNamed,
  isSaid,
}: {
  readonly attempt: AttemptRecord;
  readonly isFaultNamed?: boolean;
  readonly isSaid?: boolean;
}): VNode {
  const { error, reason } = attempt;
  const advice = error === null ? null : adviceOn(error);
  return (
    <>
      {reason !== null && <p>{reason}</p>}
      {isFaultNamed && !isSaid && <p>{faultOf(attempt)}.</p>}
      {advice !== null && !isSaid && <p>{advice}</p>}
    </>
  );
}

function faultOf({ blame }: AttemptRecord): string {
  return blame === 'policy'
    ? 'Not sent: webhooks are not sent to this address'
    : 'Sent, and the fault is at the receiver or on the way to it';
}

function requestText({ url, headers, body }: NonNullable<DeliveryProps['delivery']['request']>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${url}`, ...lines, '', body].join('\n');
}
