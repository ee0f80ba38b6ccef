import type { AttemptRecord } from '@artist-watch/delivery/store/record';
import { adviceOn } from '@artist-watch/domain/delivery/attempt-errors';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton } from '../../views/action.js';
import { SeverityBadge, StateBadge } from '../../views/badge.js';
import { CodeBlock, Copyable } from '../../views/copyable.js';
import { TRIGGER_WORDS, titleWithoutChange } from '../../views/delivery-table.js';
import { Icon } from '../../views/icon.js';
import { Instant, Timeline } from '../../views/instant.js';
import { Facts, Live, PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty } from '../../views/states.js';
import { destinationLabel, durationText } from '../../views/text.js';
import type { readDelivery } from './query.js';

/** Older answers are read over the API: a page stays small whatever receivers say. */
const ANSWERS_SHOWN = 6;
const ATTEMPTS_SHOWN = 30;

interface DeliveryProps extends Pick<Visit, 'link'>, Awaited<ReturnType<typeof readDelivery>> {
  readonly problem?: string | undefined;
}

/** While it is pending, htmx asks for it again. */
export function deliveryView({ link, delivery, destination, problem }: DeliveryProps): VNode {
  const { change, changeId, destinationId, trigger, state, attempts, request } = delivery;
  const { isDeleted = true } = destination ?? {};
  const to = destination ? destinationLabel(destination) : destinationId;
  const last = attempts.at(-1);
  return (
    <Live id="delivery" from={link(`/deliveries/${delivery.id}`)} everySeconds={5} isOver={state !== 'pending'}>
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
          !isDeleted && (
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
              ['To', isDeleted ? to : <a href={link(`/destinations/${destinationId}`)}>{to}</a>],
              ['Artist', change?.artistName],
              [
                'Change',
                changeId && (
                  <span class="row">
                    <Copyable text={changeId} />
                    {/* A change that was pruned has no page. */}
                    {change && <a href={link(`/changes/${changeId}`)}>Before, after and evidence</a>}
                  </span>
                ),
              ],
              ['Cause', TRIGGER_WORDS[trigger]],
              ['Created', <Instant at={delivery.createdAt} />],
              ['Next attempt', delivery.nextAttemptAt && <Instant at={delivery.nextAttemptAt} isCountdown />],
              ['Settled', delivery.settledAt && <Instant at={delivery.settledAt} />],
              [
                'Skipped because',
                delivery.skippedReason && `${delivery.skippedReason} Nothing more is sent by itself.`,
              ],
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
    </Live>
  );
}

/** The newest first. A delivery that was sent again, or recovered, has rounds. */
function Attempts({ attempts, roundStart, state, skippedReason }: DeliveryProps['delivery']): VNode {
  const isSkipped = state === 'skipped';
  if (attempts.length === 0) {
    return isSkipped ? (
      <Empty title="No attempt was made, and none will be" icon="minus">
        <p>
          {skippedReason} It is sent only when you send it again, or recover what was missed, once its destination is
          on.
        </p>
      </Empty>
    ) : (
      <Empty title="No attempt was made yet" icon="clock" />
    );
  }
  const newest = attempts.toReversed().slice(0, ATTEMPTS_SHOWN);
  const entries = newest.map((attempt, index) => {
    const { number, startedAt, outcome, error, responseExcerpt: answer } = attempt;
    const above = newest[index - 1];
    // What is wrong with the newest stands at the top of the page.
    const isSaid = above ? above.error === error : state !== 'succeeded';
    return {
      ...{ number, at: startedAt, title: titleOf(attempt) },
      tone: outcome === 'succeeded' ? ('good' as const) : ('bad' as const),
      details: (
        <>
          {outcome === 'failed' && <Trouble attempt={attempt} isFaultNamed isSaid={isSaid} />}
          {answer &&
            index < ANSWERS_SHOWN &&
            (answer === above?.responseExcerpt ? (
              <p>The same answer.</p>
            ) : (
              <CodeBlock label={`the answer to attempt ${number}`} code={answer} />
            ))}
        </>
      ),
    };
  });
  const present = entries.filter(({ number }) => number > roundStart);
  const earlier = entries.slice(present.length);
  const untried = isSkipped ? 'This round was skipped before an attempt' : 'This round has no attempt yet';
  return (
    <>
      {roundStart > 0 && <h3>{present.length > 0 ? `This round, from attempt ${roundStart + 1} on` : untried}</h3>}
      {present.length > 0 && <Timeline entries={present} />}
      {earlier.length > 0 && (
        <>
          <h3>Earlier</h3>
          <Timeline entries={earlier} />
        </>
      )}
      {attempts.length > ATTEMPTS_SHOWN && (
        <p class="soft">{attempts.length - ATTEMPTS_SHOWN} earlier attempts are shown by the API.</p>
      )}
    </>
  );
}

function titleOf(attempt: AttemptRecord): string {
  const { number, outcome, statusCode } = attempt;
  const answer = statusCode === null ? 'no answer' : `answered ${statusCode}`;
  return `Attempt ${number} ${outcome}: ${answer} after ${durationText(attempt)}`;
}

interface TroubleProps {
  readonly attempt: AttemptRecord;
  readonly isFaultNamed?: boolean;
  readonly isSaid?: boolean;
}

/** What happened, and unless the page has said it above, whose fault it is and what to do about it. */
function Trouble({ attempt, isFaultNamed, isSaid }: TroubleProps): VNode {
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
