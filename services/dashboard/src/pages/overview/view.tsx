import type { UnhealthyDestination } from '@artist-watch/persistence/destination/reads';
import type { ComponentChildren, VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ChangesTable } from '../../views/changes-table.js';
import { ChecksTable } from '../../views/checks-table.js';
import { Icon } from '../../views/icon.js';
import { Live, PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty, NoArtistsYet, WhyOff } from '../../views/states.js';
import { destinationTitle, failureRun, failureTone } from '../../views/text.js';
import { ChangesChart } from './changes-chart.js';
import type { readLive, readOverview } from './query.js';

/** The id of the part of the page that refreshes itself. */
export const LIVE = 'live';

interface OverviewLiveProps extends Pick<Visit, 'link'>, Awaited<ReturnType<typeof readLive>> {
  /** The number of failures in a row that switches a destination off. */
  readonly switchOffAfter: number;
}
type OverviewProps = OverviewLiveProps & Pick<Awaited<ReturnType<typeof readOverview>>, 'days'>;
type OverviewChange = OverviewLiveProps['changes'][number];

export function overviewView(props: OverviewProps): VNode {
  const { link, days } = props;
  const hrefOfDay = (day: string) => link(`/changes?from=${day}&to=${day}`);
  return (
    <>
      <PageHead
        title="Overview"
        actions={
          <a class="button primary" href={link('/artists/add')}>
            <Icon name="plus" />
            Add artists
          </a>
        }
      />
      <Present {...props} />
      <Section title="Changes">
        <ChangesChart {...{ days, hrefOfDay }} />
      </Section>
      <Newest {...props} />
    </>
  );
}

/** The response to a refresh, with the parts above and below the chart. The chart itself is not refreshed. */
export function liveView(props: OverviewLiveProps): VNode {
  return (
    <>
      <Present {...props} />
      <Newest {...props} isBeside />
    </>
  );
}

/** The current problems, and the changes being verified. */
function Present(props: OverviewLiveProps): VNode {
  const { link, isWatching, destinations, stale, checks, hasMoreChecks } = props;
  return (
    <Live id={LIVE} from={link('')}>
      {!isWatching && <NoArtistsYet link={link} />}
      {destinations.length > 0 || stale.length > 0 ? (
        <Wrong {...props} />
      ) : (
        isWatching && <Alert tone="good" title="All channels are working, and no artist is overdue" />
      )}
      <Section title="Being verified">
        <ChecksTable
          checks={checks}
          empty={<p class="soft">No change is being verified.</p>}
          hrefOfArtist={(id) => link(`/artists/${id}`)}
        />
        {hasMoreChecks && <p class="soft">See the artists' pages for more.</p>}
      </Section>
    </Live>
  );
}

/** The failing channels and overdue artists. */
function Wrong({ link, destinations, switchOffAfter, stale, hasMoreStale }: OverviewLiveProps): VNode {
  return (
    <div class="stack">
      {destinations.map((destination) => {
        const [tone, what, why] = describeProblem(destination, switchOffAfter);
        return (
          <Alert tone={tone} title={`Channel “${destinationTitle(destination)}” ${what}`}>
            <p>
              {why} <a href={link(`/destinations/${destination.id}`)}>View channel</a>
            </p>
          </Alert>
        );
      })}
      {stale.length > 0 && (
        <Alert tone="warn" title={staleTitle(stale.length, hasMoreStale)}>
          <p>
            {stale.map(({ id, name }, index) => (
              <>
                {index > 0 && ', '}
                <a href={link(`/artists/${id}`)}>{name}</a>
              </>
            ))}
            {hasMoreStale && (
              <>
                {' and '}
                <a href={link('/artists?status=stale')}>more</a>
              </>
            )}
          </p>
        </Alert>
      )}
    </div>
  );
}

/** Describes a channel's problem and its consequence. */
function describeProblem(
  { state, pausedByPlan, switchedOffAt, switchedOffReason, consecutiveFailures: run }: UnhealthyDestination,
  switchOffAfter: number,
): readonly [tone: 'bad' | 'warn', what: string, why: ComponentChildren] {
  if (state === 'off') return ['bad', 'is switched off', <WhyOff reason={switchedOffReason} at={switchedOffAt} />];
  if (pausedByPlan) {
    return ['warn', 'is paused', "Your plan doesn't include channels of this kind. The channel keeps its settings."];
  }
  const tone = failureTone(run, switchOffAfter);
  return [tone, `is failing: ${failureRun(run, switchOffAfter)}`, `We switch the channel off after ${switchOffAfter}.`];
}

function staleTitle(count: number, hasMore: boolean): string {
  const who = hasMore ? `More than ${count} artists` : count === 1 ? 'One artist' : `${count} artists`;
  return `${who} overdue: no full check within three check intervals`;
}

/** @param isBeside true in a refresh of another part of the page; htmx then replaces this part separately */
function Newest({ link, changes, isBeside }: OverviewLiveProps & { readonly isBeside?: true }): VNode {
  return (
    <Section
      title="Newest changes"
      id="newest"
      swapBeside={isBeside}
      actions={<a href={link('/changes')}>All changes</a>}
    >
      {changes.length === 0 && (
        <Empty title="No changes yet" icon="activity">
          <p>
            Confirmed changes of your <a href={link('/artists')}>artists</a> appear here.
          </p>
        </Empty>
      )}
      {byArtist(changes).map(([{ artistId, artistName }, ofArtist]) => (
        <div class="stack group">
          <h3>
            <a href={link(`/artists/${artistId}`)}>{artistName}</a>
          </h3>
          <ChangesTable changes={ofArtist} caption={`Changes of ${artistName}`} link={link} />
        </div>
      ))}
    </Section>
  );
}

/**
 * Groups changes by artist, and returns each group with its newest change. The artist with the newest change comes
 * first.
 */
function byArtist(changes: readonly OverviewChange[]): Array<[newest: OverviewChange, changes: OverviewChange[]]> {
  const groups = new Map<string, [OverviewChange, OverviewChange[]]>();
  for (const change of changes) {
    const group = groups.get(change.artistId);
    if (group) group[1].push(change);
    else groups.set(change.artistId, [change, [change]]);
  }
  return [...groups.values()];
}
