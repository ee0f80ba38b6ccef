import type { PlanName } from '@artist-watch/domain/account/plans';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { SWITCHED_OFF_BY_REQUEST } from '@artist-watch/domain/delivery/delivery-state';
import type { DestinationRecord } from '@artist-watch/persistence/destination/reads';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { LinkButton } from '../../views/form.js';
import { StateBadge } from '../../views/icon.js';
import { Instant } from '../../views/instant.js';
import { PageHead } from '../../views/page-head.js';
import { DestinationsNeedPlan, Empty } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { destinationTitle, numberText, ofText } from '../../views/text.js';

interface DestinationsProps extends Pick<Visit, 'link'> {
  readonly plan: PlanName;
  readonly hasPlan: boolean;
  readonly destinations: readonly DestinationRecord[];
  readonly switchOffAfter: number;
}

export function destinationsView({ link, plan, hasPlan, destinations, switchOffAfter }: DestinationsProps): VNode {
  return (
    <>
      <PageHead
        title="Channels"
        actions={
          hasPlan && <LinkButton href={link('/destinations/new')} icon="plus" look="primary" label="New channel" />
        }
      >
        <p>We send confirmed changes to these webhooks, Slack channels and Discord channels.</p>
      </PageHead>
      {!hasPlan && <DestinationsNeedPlan plan={plan} />}
      {hasPlan && destinations.length === 0 && (
        <Empty title="No channels yet" icon="webhook">
          <p>A channel receives each confirmed change that matches its rules, within seconds.</p>
        </Empty>
      )}
      {destinations.length > 0 && (
        <div class="section">
          <Table
            caption="Channels"
            rows={destinations}
            href={({ id }) => link(`/destinations/${id}`)}
            isMarked={(destination) => stateOf(destination) === 'off'}
            columns={[
              { label: 'Channel', cell: destinationTitle },
              { label: 'Kind', priority: 2, cell: ({ kind }) => changeTitle(kind) },
              { label: 'State', cell: (destination) => <StateBadge state={stateOf(destination)} /> },
              {
                label: 'Failures in a row',
                priority: 3,
                cell: ({ consecutiveFailures: run }) => (run === 0 ? 'None' : ofText(run, switchOffAfter)),
              },
              { label: 'Last 24 hours', cell: ({ stats24h }) => dayInWords(stats24h) },
              { label: 'Created', priority: 3, cell: ({ createdAt }) => <Instant at={createdAt} /> },
            ]}
          />
        </div>
      )}
    </>
  );
}

export function stateOf({ state, pausedByPlan, switchedOffReason, consecutiveFailures }: DestinationRecord): string {
  if (pausedByPlan) return 'paused';
  if (state === 'off') return switchedOffReason === SWITCHED_OFF_BY_REQUEST ? 'disabled' : 'off';
  return consecutiveFailures > 0 ? 'failing' : state;
}

export function dayInWords({ deliveries, ...byState }: DestinationRecord['stats24h']): string {
  if (deliveries === 0) return 'None';
  const words = { succeeded: 'delivered', failed: 'failed', pending: 'pending', skipped: 'missed' } as const;
  return (Object.keys(words) as (keyof typeof words)[])
    .filter((state) => byState[state] > 0)
    .map((state) => `${numberText(byState[state])} ${words[state]}`)
    .join(', ');
}
