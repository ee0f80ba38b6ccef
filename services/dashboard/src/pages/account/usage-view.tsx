import type { AccountUse } from '@artist-watch/contracts/api/account';
import { type Plan, type PlanName, planTitle } from '@artist-watch/domain/account/plans';
import type { UsageDay } from '@artist-watch/persistence/account/usage-store';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { DayBars } from '../../views/day-bars.js';
import { Filters } from '../../views/filters.js';
import { optionsOf, Select } from '../../views/form.js';
import { dateText, dayText } from '../../views/instant.js';
import { Facts, Meter, PageHead, Section } from '../../views/page-head.js';
import { Alert } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { counted, daysText, numberText } from '../../views/text.js';

interface UsageProps extends Pick<Visit, 'link'> {
  readonly plan: PlanName;
  readonly limits: Plan;
  readonly use: AccountUse & { readonly artists: number };
  readonly history: readonly UsageDay[];
  readonly days: number;
}

export const CHOICES: readonly number[] = [7, 30, 90];

export function usageView({ link, plan, limits, use, history, days }: UsageProps): VNode {
  return (
    <>
      <PageHead title="Usage">
        <p>The limits of the {planTitle(plan)} plan, and how much you use.</p>
      </PageHead>
      {use.pausedDestinations > 0 && (
        <Alert tone="warn" title={`${counted(use.pausedDestinations, 'channel')} paused`}>
          <p>Your plan doesn't include channels of this kind. Their settings are kept, and nothing is sent to them.</p>
        </Alert>
      )}
      <div class="columns">
        <Section title={`${planTitle(plan)} plan`}>
          <Facts
            items={[
              ['Check interval', durationOf(limits.pollIntervalMs)],
              ['History', daysText(limits.historyDays)],
              ['API requests per hour', numberText(limits.apiRequestsPerHour)],
            ]}
          />
        </Section>
        <Section title="Used">
          <UsedOf label="Artists" used={use.artists} limit={limits.artists} />
          <UsedOf label="Members" used={use.seats} limit={limits.seats} />
          <UsedOf label="API keys" used={use.keys} limit={limits.keys} />
          <UsedOf label="Webhooks" used={use.destinations} limit={limits.destinations} />
          <UsedOf label="Slack and Discord channels" used={use.chatDestinations} limit={limits.chatDestinations} />
          <UsedOf label="Look-ups today (UTC)" used={use.toolCalls} limit={limits.toolCallsPerDay} />
        </Section>
      </div>
      <Section title="By day">
        <Filters action={link('/usage')} typed={{}} button="Show">
          <Select
            name="days"
            label="Period"
            value={String(days)}
            options={optionsOf(CHOICES.map(String), (choice) => `Last ${choice} days`)}
          />
        </Filters>
        <RequestsChart days={history} />
      </Section>
    </>
  );
}

function RequestsChart({ days }: { readonly days: readonly UsageDay[] }): VNode {
  const total = days.reduce((sum, { requests }) => sum + requests, 0);
  const bars = days.map(({ day, requests }) => ({
    day,
    parts: [['info', requests]] as const,
    label: `${dayText(new Date(day))}: ${counted(requests, 'request')}`,
  }));
  return (
    <>
      <p class="soft">
        {counted(total, 'API request')} in {days.length} days
      </p>
      <DayBars title="API requests by day (UTC)" bars={bars} />
      <details>
        <summary>Show as a table</summary>
        <Table
          caption="Usage by day"
          rows={[...days].reverse()}
          columns={[
            { label: 'Day (UTC)', cell: ({ day }) => dateText(day) },
            { label: 'API requests', numeric: true, cell: ({ requests }) => numberText(requests) },
            { label: 'Deliveries', numeric: true, cell: ({ deliveries }) => numberText(deliveries) },
            { label: 'Look-ups', numeric: true, cell: ({ toolCalls }) => numberText(toolCalls) },
          ]}
        />
      </details>
    </>
  );
}

/** If the limit is 0, the plan doesn't include the feature. */
function UsedOf({ label, used, limit }: { readonly label: string; readonly used: number; readonly limit: number }) {
  if (limit === 0 && used === 0) return <p class="soft">{label}: not included in this plan</p>;
  return <Meter label={label} value={used} max={limit} />;
}

function durationOf(ms: number): string {
  const minutes = ms / 60_000;
  return minutes < 60 ? `${minutes} minutes` : counted(minutes / 60, 'hour');
}
