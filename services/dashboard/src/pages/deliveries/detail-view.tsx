import type { AttemptRecord } from '@artist-watch/delivery/store/record';
import { adviceOn } from '@artist-watch/domain/delivery/attempt-errors';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { CodeBlock, Copyable } from '../../views/copyable.js';
import { ActionButton } from '../../views/form.js';
import { Icon, SeverityBadge, StateBadge } from '../../views/icon.js';
import { Instant, Timeline } from '../../views/instant.js';
import { Facts, Live, PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty } from '../../views/states.js';
import { TRIGGER_WORDS, titleWithoutChange } from '../../views/table.js';
import { destinationLabel, durationText } from '../../views/text.js';
import type { readDelivery } from './query.js';

/** These limits keep the page small. The API returns all responses. */
const ANSWERS_SHOWN = 6;
const ATTEMPTS_SHOWN = 30;

interface DeliveryProps extends Pick<Visit, 'link'>, Awaited<ReturnType<typeof readDelivery>> {
  readonly problem?: string | undefined;
}

export function deliveryView({ link, delivery, destination, problem }: DeliveryProps): VNode {
  const { change, changeId, destinationId, trigger, state, attempts, request } = delivery;
  const { isDeleted = true } = destination ?? {};
  const to = destination ? destinationLabel(destination) : destinationId;
  const last = attempts.at(-1);
  const fault = last?.blame === 'policy' ? "Not sent: this URL isn't allowed" : 'The last attempt failed';
  return (
    <Live id="delivery" from={link(`/deliveries/${delivery.id}`)} everySeconds={5} isOver={state !== 'pending'}>
      <PageHead
        title={change?.summary.replace(/\.$/, '') ?? titleWithoutChange(trigger)}
        crumbs={[{ label: 'Deliveries', href: link('/deliveries') }]}
        badges={
          <>
            <StateBadge state={state} />
            {change && <SeverityBadge severity={change.severity} />}
          </>
        }
        actions={
          state !== 'pending' &&
          !isDeleted &&
          (state !== 'skipped' || !destination?.isUndeliverable) && (
            <ActionButton action={link(`/deliveries/${delivery.id}/resend`)}>
              <Icon name="send" />
              {attempts.length === 0 ? 'Send now' : 'Send again'}
            </ActionButton>
          )
        }
      />
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      {last?.outcome === 'failed' && state !== 'succeeded' && (
        <Alert tone={state === 'failed' ? 'bad' : 'warn'} title={fault}>
          <p>{last.reason}</p>
          <p>{last.error === null ? null : adviceOn(last.error)}</p>
        </Alert>
      )}
      {delivery.skippedReason && (
        <Alert tone="warn" title={delivery.skippedReason.replace(/\.$/, '')}>
          <p>
            We don't send this change automatically.
            {isDeleted ? null : destination?.isUndeliverable ? (
              <>
                {' '}
                <a href={link(`/destinations/${destinationId}`)}>Enable the channel</a>, then send it.
              </>
            ) : (
              ' You can send it now.'
            )}
          </p>
        </Alert>
      )}
      <div class="columns">
        <Section title="Delivery">
          <Facts
            items={[
              ['ID', <Copyable text={delivery.id} />],
              ['Channel', isDeleted ? to : <a href={link(`/destinations/${destinationId}`)}>{to}</a>],
              ['Artist', change?.artistName],
              [
                'Change',
                changeId && (
                  <span class="row">
                    <Copyable text={changeId} />
                    {/* If the change is older than the plan's history period, it has no page. */}
                    {change && <a href={link(`/changes/${changeId}`)}>View change</a>}
                  </span>
                ),
              ],
              ['Kind', TRIGGER_WORDS[trigger]],
              ['Created', <Instant at={delivery.createdAt} />],
              ['Next attempt', delivery.nextAttemptAt && <Instant at={delivery.nextAttemptAt} isCountdown />],
              ['Finished', last && delivery.settledAt && <Instant at={delivery.settledAt} />],
            ]}
          />
        </Section>
        <Section title="Attempts">
          <Attempts {...delivery} />
        </Section>
      </div>
      <Section title={attempts.length === 0 ? 'Request that we would send' : 'Request'}>
        {request === null ? (
          <p>The request is no longer stored, because the change is older than any plan's history.</p>
        ) : (
          <>
            <p class="soft">Every attempt sends the same body. The signature isn't shown.</p>
            <CodeBlock label="the request" code={requestText(request)} />
          </>
        )}
      </Section>
    </Live>
  );
}

function Attempts({ attempts, roundStart, state }: DeliveryProps['delivery']): VNode {
  const isSkipped = state === 'skipped';
  if (attempts.length === 0) {
    return <Empty title={isSkipped ? 'Not sent' : 'No attempts yet'} icon={isSkipped ? 'minus' : 'clock'} />;
  }
  const newest = attempts.toReversed().slice(0, ATTEMPTS_SHOWN);
  const entries = newest.map((attempt, index) => {
    const { number, startedAt, outcome, responseExcerpt: answer } = attempt;
    const above = newest[index - 1];
    return {
      number,
      at: startedAt,
      title: titleOf(attempt),
      tone: outcome === 'succeeded' ? ('good' as const) : ('bad' as const),
      details: (
        <>
          {outcome === 'failed' && <p>{attempt.reason}</p>}
          {answer &&
            index < ANSWERS_SHOWN &&
            (answer === above?.responseExcerpt ? (
              <p>Same response.</p>
            ) : (
              <CodeBlock label={`the response to attempt ${number}`} code={answer} />
            ))}
        </>
      ),
    };
  });
  const present = entries.filter(({ number }) => number > roundStart);
  const earlier = entries.slice(present.length);
  const untried = isSkipped ? 'Sent again, but missed before the first attempt' : 'Sent again: no attempts yet';
  return (
    <>
      {roundStart > 0 && <h3>{present.length > 0 ? 'Sent again' : untried}</h3>}
      {present.length > 0 && <Timeline entries={present} />}
      {earlier.length > 0 && (
        <>
          <h3>Earlier</h3>
          <Timeline entries={earlier} />
        </>
      )}
      {attempts.length > ATTEMPTS_SHOWN && (
        <p class="soft">{attempts.length - ATTEMPTS_SHOWN} earlier attempts are available through the API.</p>
      )}
    </>
  );
}

function titleOf(attempt: AttemptRecord): string {
  const { number, outcome, statusCode } = attempt;
  const answer = statusCode === null ? 'no response' : `status ${statusCode}`;
  return `Attempt ${number} ${outcome}: ${answer} after ${durationText(attempt)}`;
}

function requestText({ url, headers, body }: NonNullable<DeliveryProps['delivery']['request']>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${url}`, ...lines, '', body].join('\n');
}
