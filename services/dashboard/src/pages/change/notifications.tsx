import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { Badge, StateBadge } from '../../views/icon.js';
import { Instant } from '../../views/instant.js';
import { DestinationsNeedPlan, Empty, hasDestinations } from '../../views/states.js';
import { NextAttempt, Table } from '../../views/table.js';
import { counted, destinationTitle, LIST } from '../../views/text.js';
import type { readChange } from './query.js';

type Sent = Pick<Awaited<ReturnType<typeof readChange>>, 'notifications' | 'members'>;

interface NotificationsProps extends Pick<Visit, 'link'>, Sent {
  readonly plan: PlanName;
  readonly isOld: boolean;
}

export function Notifications({ members, ...channels }: NotificationsProps): VNode {
  const emails = members.filter(({ state }) => state !== null);
  return (
    <>
      <Channels {...channels} />
      {emails.length > 0 && (
        <Table
          caption="Emails"
          rows={emails}
          columns={[
            { label: 'Email', cell: ({ email }) => email },
            { label: 'State', cell: ({ state }) => <StateBadge state={state ?? ''} /> },
            { label: 'When', cell: ({ settledAt }) => settledAt && <Instant at={settledAt} /> },
          ]}
        />
      )}
    </>
  );
}

function Channels({ link, plan, isOld, notifications }: Omit<NotificationsProps, 'members'>): VNode {
  if (notifications.length === 0) {
    return hasDestinations(PLANS[plan]) ? (
      <Empty title="No channels yet" icon="bell-off">
        <p>Create a channel to send changes to Slack, Discord or a webhook.</p>
      </Empty>
    ) : (
      <DestinationsNeedPlan plan={plan} />
    );
  }
  const unexplained = notifications.filter(({ delivery, why }) => delivery === null && why === undefined);
  return (
    <>
      {unexplained.length > 0 && (
        <p class="soft">
          {isOld ? 'We have no record of messages sent to ' : 'Not sent to '}
          {counted(unexplained.length, 'channel')}: <bdi>{LIST.format(unexplained.map(destinationTitle))}</bdi>.
          {isOld && ' We keep these records for 90 days.'}
        </p>
      )}
      <Table
        caption="Channels"
        empty={<></>}
        rows={notifications.filter((one) => !unexplained.includes(one))}
        isMarked={({ delivery }) => delivery?.state === 'failed'}
        columns={[
          {
            label: 'Channel',
            cell: ({ destinationId, kind, isDeleted, ...named }) => {
              const title = <bdi>{destinationTitle(named)}</bdi>;
              return (
                <span>
                  {isDeleted ? title : <a href={link(`/destinations/${destinationId}`)}>{title}</a>}{' '}
                  <span class="soft">{isDeleted ? `${changeTitle(kind)}, deleted` : changeTitle(kind)}</span>
                </span>
              );
            },
          },
          {
            label: 'State',
            cell: ({ delivery }) =>
              delivery === null ? (
                <Badge tone="quiet" icon="minus">
                  not sent
                </Badge>
              ) : (
                <a href={link(`/deliveries/${delivery.id}`)}>
                  <StateBadge state={delivery.state} />
                </a>
              ),
          },
          { label: 'When', cell: ({ delivery }) => delivery?.settledAt && <Instant at={delivery.settledAt} /> },
          { label: 'Result', cell: whyOf },
        ]}
      />
    </>
  );
}

function whyOf({ delivery, why }: Sent['notifications'][number]) {
  if (delivery === null || delivery.state === 'skipped') return why;
  const { attemptCount, failure, nextAttemptAt } = delivery;
  const attempts = attemptCount > 0 && counted(attemptCount, 'attempt');
  return (
    <span>
      {failure ? `${failure} (${attempts})` : attempts} {nextAttemptAt && <NextAttempt at={nextAttemptAt} />}
    </span>
  );
}
