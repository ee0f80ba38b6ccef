import type { EvidencedChange } from '@artist-watch/contracts/api/change';
import { PLATFORM_NAMES } from '@artist-watch/domain/catalogue';
import { type ListedEvent, listEvents } from '@artist-watch/domain/change/change-events';
import { SEVERITIES, type Severity } from '@artist-watch/domain/change/change-types';
import { distributorText } from '@artist-watch/domain/change/distributor-text';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import type { UnhealthyDestination } from '@artist-watch/persistence/destination/reads';
import type { ComponentChildren, VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { confirmationText, ShortBeforeAfter } from '../../views/change.js';
import { ChangesList, Title } from '../../views/changes-list.js';
import { DayBars } from '../../views/day-bars.js';
import { ActionButton, LinkButton } from '../../views/form.js';
import { Icon, SeverityIcon } from '../../views/icon.js';
import { dayText, Instant } from '../../views/instant.js';
import { currentReader } from '../../views/markup.js';
import { Live, PageHead, Section } from '../../views/page-head.js';
import { Empty, NoArtistsYet, WhyOff } from '../../views/states.js';
import { ChecksTable } from '../../views/table.js';
import { counted, destinationTitle, numberText } from '../../views/text.js';
import type { readLive, readOverview } from './query.js';

function ChangesChart({ days, link }: Pick<OverviewProps, 'days' | 'link'>): VNode {
  const { zone } = currentReader();
  const total = days.reduce((sum, counts) => sum + totalOf(counts), 0);
  const critical = days.reduce((sum, counts) => sum + counts.critical, 0);
  const bars = days.map(({ day, ...counts }) => {
    const parts = [['bad', counts.critical] as const, ['quiet', counts.warning + counts.info] as const];
    return {
      day,
      parts: parts.filter(([, count]) => count > 0),
      label: `${dayText(new Date(day))} (${zone}): ${countsText(counts)}`,
      ...(totalOf(counts) > 0 && { href: link(`/changes?from=${day}&to=${day}`) }),
    };
  });
  return (
    <>
      <p class="soft">
        {`${counted(total, 'change')} in ${days.length} days`}
        {critical > 0 && (
          <>
            , <span class="swatch bad" />
            {critical} critical
          </>
        )}
      </p>
      {total > 0 && <DayBars title={`Changes by day (${zone})`} bars={bars} />}
    </>
  );
}

function totalOf({ critical, warning, info }: Readonly<Record<Severity, number>>): number {
  return critical + warning + info;
}

function countsText(counts: Readonly<Record<Severity, number>>): string {
  const parts = SEVERITIES.filter((severity) => counts[severity] > 0);
  return parts.map((severity) => `${counts[severity]} ${severity}`).join(', ');
}

export const LIVE = 'live';

interface OverviewLiveProps extends Pick<Visit, 'link' | 'account' | 'zone'>, Awaited<ReturnType<typeof readLive>> {
  /** The number of consecutive failures after which a destination is switched off. */
  readonly switchOffAfter: number;
}
type OverviewProps = OverviewLiveProps & Pick<Awaited<ReturnType<typeof readOverview>>, 'days'>;

export function overviewView(props: OverviewProps): VNode {
  const { link } = props;
  return (
    <>
      <PageHead title="Overview" actions={<LinkButton href={link('/artists/add')} icon="plus" label="Add artists" />} />
      <Present {...props} />
      <Section title="Changes by day">
        <ChangesChart {...props} />
      </Section>
      <Others {...props} />
    </>
  );
}

/** Renders the response to a refresh: everything above and below the chart, but not the chart itself. */
export function liveView(props: OverviewLiveProps): VNode {
  return (
    <>
      <Present {...props} />
      <Others {...props} isBeside />
    </>
  );
}

function Present(props: OverviewLiveProps): VNode {
  const { link, health, checks, hasMoreChecks } = props;
  return (
    <Live id={LIVE} from={link('')}>
      <Attention {...props} />
      {health.artists === 0 ? <NoArtistsYet link={link} /> : <HealthLine {...props} />}
      {checks.length > 0 && (
        <Section title="Being verified">
          <ChecksTable checks={checks} hrefOfArtist={(id) => link(`/artists/${id}`)} />
          {hasMoreChecks && <p class="soft">See the artists' pages for more.</p>}
        </Section>
      )}
    </Live>
  );
}

function HealthLine({ link, health, hasMoreBroken, switchOffAfter }: OverviewLiveProps): VNode {
  const { artists, checkedAt, brokenArtists, channels, disabledChannels: disabled, brokenChannels } = health;
  const { platformName } = currentReader();
  const [healthy, all] = [channels - brokenChannels.length, channels + disabled];
  const some = hasMoreBroken ? undefined : artists - brokenArtists.length;
  return (
    <section class="health" aria-label="System health">
      <p>
        <Icon name="activity" />
        <span>
          {some === undefined || some === artists
            ? counted(artists, 'artist')
            : `${numberText(some)} of ${counted(artists, 'artist')}`}
          {checkedAt === null ? ' not checked yet' : ' checked '}
          {checkedAt !== null && <Instant at={checkedAt} />}
          {all > 0 && ` · ${healthy === all ? '' : `${healthy} of `}${counted(all, 'channel')} healthy`}
          {disabled > 0 && ` · ${disabled} disabled`}
        </span>
      </p>
      <ul>
        {brokenChannels.map((channel) => (
          <Broken href={link(`/destinations/${channel.id}`)} name={destinationTitle(channel)}>
            {whatIsWrong(channel, switchOffAfter)}
          </Broken>
        ))}
        {brokenArtists.map(({ id, name, status }) => (
          <Broken href={link(`/artists/${id}`)} name={name}>
            {status === 'not_found'
              ? `wasn't found on ${platformName}`
              : 'is overdue: the last three checks were missed or incomplete'}
          </Broken>
        ))}
        {hasMoreBroken && (
          <Broken href={link('/artists?status=stale')} name="More artists">
            need attention
          </Broken>
        )}
      </ul>
    </section>
  );
}

function Broken({ href, name, children }: { href: string; name: string; children: ComponentChildren }): VNode {
  return (
    <li>
      <Icon name="triangle-alert" />
      <span>
        <a href={href}>
          <bdi>{name}</bdi>
        </a>{' '}
        {children}
      </span>
    </li>
  );
}

function whatIsWrong(
  { state, pausedByPlan, switchedOffAt, switchedOffReason, consecutiveFailures: run }: UnhealthyDestination,
  switchOffAfter: number,
): ComponentChildren {
  if (state === 'off') return <WhyOff reason={switchedOffReason} at={switchedOffAt} />;
  if (pausedByPlan) return "is paused: your plan doesn't include channels of this kind";
  return `is failing: ${counted(run, 'failure')} in a row. After ${switchOffAfter}, we switch it off.`;
}

function Others({ link, changes, attention, isBeside }: OverviewLiveProps & { readonly isBeside?: true }): VNode {
  const above = new Set<string>(attention.map(({ id }) => id));
  const others = changes.filter(({ id }) => !above.has(id));
  return (
    <Section
      title={attention.length > 0 ? 'Other recent changes' : 'Recent changes'}
      id="newest"
      swapBeside={isBeside}
      actions={<a href={link('/changes')}>All changes</a>}
    >
      {others.length === 0 ? (
        <Empty title={attention.length > 0 ? 'No other changes' : 'No changes yet'} icon="activity" />
      ) : (
        <ChangesList events={listEvents(others)} label="Recent changes" link={link} />
      )}
    </Section>
  );
}

const ITEMS_SHOWN = 10;
const VALUES_SHOWN = 3;

function Attention({ link, account, zone, attention, hasMoreAttention }: OverviewLiveProps): VNode | null {
  if (attention.length === 0) return null;
  const items = listEvents(attention);
  return (
    <Section
      title={`Needs attention: ${hasMoreAttention ? 'more than ' : ''}${items.length}`}
      id="attention"
      actions={<a href={link('/changes?severity=warning&status=open')}>All open warnings and critical changes</a>}
    >
      <ul class="items">
        {items.slice(0, ITEMS_SHOWN).map((item) => (
          <Item {...item} {...{ link, account, zone }} />
        ))}
      </ul>
    </Section>
  );
}

function Item(props: ListedEvent<EvidencedChange> & Pick<Visit, 'link' | 'account' | 'zone'>): VNode {
  const { link, account, zone, name, fact, severity, changes, newest } = props;
  const [first] = changes;
  const platformName = PLATFORM_NAMES[first.platform];
  const assignee = changes.find((change) => change.assignee !== null)?.assignee;
  const href = link(`/changes/${first.id}`);
  const urls = changes.map(({ platform, entityType, entityId }) => knownPlatformUrl(platform, entityType, entityId));
  return (
    <li class="item">
      <div>
        <div class="row">
          <SeverityIcon severity={severity} />
          <Title {...{ name, fact, href }} />
        </div>
        <p class="soft">
          {first.artistName !== name && (
            <>
              <bdi>{first.artistName}</bdi> ·{' '}
            </>
          )}
          {platformName} · <Instant at={newest.confirmedAt} isShort />
          {first.origin === 'observed' && ` · ${confirmationText(first)}`}
          {assignee && ` · assigned to ${assignee}`}
          {changes.length <= VALUES_SHOWN && changes.map((change) => <ShortBeforeAfter {...change} />)}
        </p>
      </div>
      <div class="actions">
        <a class="button" href={href}>
          View<span class="unseen"> {name}</span>
        </a>
        <button
          type="button"
          data-copy={distributorText(changes, platformName, urls, { name: account.name, zone })}
          hidden
        >
          <Icon name="copy" />
          Copy text for distributor<span class="unseen">: {name}</span>
        </button>
        <ActionButton
          action={link('/changes/handling')}
          // A field named `id` would hide the form's id from htmx, which would then replace the button.
          fields={{ change: changes.map(({ id }) => id).join(' '), status: 'handled', overview: '' }}
        >
          Mark as handled<span class="unseen">: {name}</span>
        </ActionButton>
      </div>
    </li>
  );
}
