import type { Severity } from '@artist-watch/domain/change/change-types';
import { isChat } from '@artist-watch/domain/channel/destination-kind';
import type { ComponentChildren, VNode } from 'preact';
import { Badge, StateBadge, type Tone } from '../../views/badge.js';
import { Copyable } from '../../views/copyable.js';
import { Instant } from '../../views/instant.js';
import { Facts, Meter, PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { Timeline } from '../../views/timeline.js';
import { kindTitle, type ShownDestination, stateOf } from './list-view.js';

export interface DestinationDetail extends ShownDestination {
  readonly signed: boolean;
  readonly nextSecretPending: boolean;
  readonly rules: {
    readonly minSeverity: Severity | null;
    readonly changeTypes: readonly string[];
    readonly artistIds: readonly string[];
  };
  readonly switchedOffAt: Date | null;
  readonly switchedOffReason: string | null;
  readonly notices: ReadonlyArray<{
    readonly kind: string;
    readonly at: Date;
    readonly consecutiveFailures: number;
    readonly reason: string;
  }>;
}

interface DestinationProps {
  readonly link: (path: string) => string;
  readonly destination: DestinationDetail;
  readonly deliveries: ReadonlyArray<{
    readonly id: string;
    readonly state: string;
    readonly attemptCount: number;
    readonly createdAt: Date;
  }>;
  readonly switchOffAfter: number;
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function destinationView(props: DestinationProps): VNode {
  const { link, destination, deliveries, switchOffAfter, actions, children } = props;
  const { name, url, kind, consecutiveFailures: run, stats24h } = destination;
  const all = link(`/deliveries?destination=${destination.id}`);
  return (
    <>
      <PageHead
        title={name ?? url}
        crumbs={[{ label: 'Destinations', href: link('/destinations') }]}
        badges={
          <>
            <StateBadge state={stateOf(destination)} />
            <Badge tone="quiet">{kindTitle(kind)}</Badge>
          </>
        }
        actions={actions}
      />
      <WhyNothingIsSent destination={destination} />
      {children}
      <div class="columns">
        <Section title="Destination">
          <Facts
            items={[
              ['Id', <Copyable text={destination.id} />],
              ['Address', url],
              ['Signed', isChat(kind) ? undefined : signedInWords(destination)],
              ...rulesInWords(destination.rules),
              ['Made', <Instant at={destination.createdAt} />],
            ]}
          />
          <Meter
            label="Failures in a row"
            value={run}
            max={switchOffAfter}
            tone={run === 0 ? 'info' : 2 * run >= switchOffAfter ? 'bad' : 'warn'}
          />
        </Section>
        <Section title="Last 24 hours">
          <Facts
            items={[
              ['Changes', stats24h.deliveries.toLocaleString('en')],
              ['Delivered', stats24h.succeeded.toLocaleString('en')],
              ['Pending', stats24h.pending.toLocaleString('en')],
              ['Failed', stats24h.failed.toLocaleString('en')],
              ['Skipped', stats24h.skipped.toLocaleString('en')],
            ]}
          />
        </Section>
      </div>
      <Section title="Newest deliveries" actions={<a href={all}>All deliveries</a>}>
        {deliveries.length === 0 ? (
          <Empty title="Nothing was sent yet" icon="send" />
        ) : (
          <Table
            caption="Newest deliveries"
            rows={deliveries}
            href={({ id }) => link(`/deliveries/${id}`)}
            columns={[
              { label: 'Delivery', cell: ({ id }) => id },
              { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              { label: 'Attempts', cell: ({ attemptCount }) => attemptCount, numeric: true },
              { label: 'Made', cell: ({ createdAt }) => <Instant at={createdAt} /> },
            ]}
          />
        )}
      </Section>
      {destination.notices.length > 0 && (
        <Section title="What happened">
          <Timeline
            entries={destination.notices.map(({ kind: notice, at, reason, consecutiveFailures }) => ({
              at,
              tone: NOTICE_TONES[notice] ?? 'quiet',
              title: `${notice.replaceAll('_', ' ')}: ${reason}`,
              details: consecutiveFailures > 0 && `${consecutiveFailures} failures in a row at that time`,
            }))}
          />
        </Section>
      )}
    </>
  );
}

const NOTICE_TONES: Readonly<Record<string, Tone>> = {
  warning: 'warn',
  switched_off: 'bad',
  enabled: 'good',
  resumed_by_plan: 'good',
};

function WhyNothingIsSent({ destination }: { readonly destination: DestinationDetail }): VNode | null {
  const { state, pausedByPlan, switchedOffAt, switchedOffReason } = destination;
  if (pausedByPlan) {
    return (
      <Alert tone="warn" title="Paused: the plan of this account has no destinations of this kind">
        <p>It goes on by itself with a plan that has them.</p>
      </Alert>
    );
  }
  if (state === 'active') return null;
  return (
    <Alert tone="bad" title="Off: nothing is sent">
      <p>
        {switchedOffReason ?? 'Switched off'}
        {switchedOffAt && (
          <>
            , <Instant at={switchedOffAt} />
          </>
        )}
        . Changes that are confirmed meanwhile are kept, and can be recovered.
      </p>
    </Alert>
  );
}

function signedInWords({ signed, nextSecretPending }: DestinationDetail): string {
  const now = signed ? 'yes' : 'no: receivers cannot tell who sent it';
  return nextSecretPending ? `${now}; a next secret waits to be put in force` : now;
}

function rulesInWords({ minSeverity, changeTypes, artistIds }: DestinationDetail['rules']) {
  return [
    [
      'Severity',
      minSeverity === null ? 'every one' : minSeverity === 'critical' ? 'critical' : `${minSeverity} or graver`,
    ],
    ['Types', changeTypes.length === 0 ? 'every one' : changeTypes.join(', ').replaceAll('_', ' ')],
    ['Artists', artistIds.length === 0 ? 'every one that is watched' : `${artistIds.length} chosen ones`],
  ] as const;
}
