import type { UnhealthyDestination } from '@artist-watch/persistence/destination/reads';
import type { ComponentChildren, VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ChangesTable } from '../../views/changes-table.js';
import { ChecksTable } from '../../views/checks-table.js';
import { Icon } from '../../views/icon.js';
import { Live, PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty, NobodyWatched, WhyOff } from '../../views/states.js';
import { destinationTitle, failureRun, failureTone } from '../../views/text.js';
import { ChangesChart } from './changes-chart.js';
import type { readLive, readOverview } from './query.js';

/** The id of what keeps itself current. */
export const LIVE = 'live';

interface OverviewLiveProps extends Pick<Visit, 'link'>, Awaited<ReturnType<typeof readLive>> {
  /** At so many failures in a row a destination is switched off. */
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

/** What keeps itself current, in one answer: the chart between the two parts is not asked for again. */
export function liveView(props: OverviewLiveProps): VNode {
  return (
    <>
      <Present {...props} />
      <Newest {...props} isBeside />
    </>
  );
}

/** What is wrong, and what is being checked. */
function Present(props: OverviewLiveProps): VNode {
  const { link, isWatching, destinations, stale, checks, hasMoreChecks } = props;
  return (
    <Live id={LIVE} from={link('')}>
      {!isWatching && <NobodyWatched link={link} />}
      {destinations.length > 0 || stale.length > 0 ? (
        <Wrong {...props} />
      ) : (
        isWatching && <Alert tone="good" title="No destination is off or failing, and no artist is stale" />
      )}
      <Section title="Checks under way">
        <ChecksTable
          checks={checks}
          empty={<p class="soft">Nothing is being checked.</p>}
          hrefOfArtist={(id) => link(`/artists/${id}`)}
        />
        {hasMoreChecks && <p class="soft">There are more: the page of each artist has its own.</p>}
      </Section>
    </Live>
  );
}

/** What wants a hand, or a look. */
function Wrong({ link, destinations, switchOffAfter, stale, hasMoreStale }: OverviewLiveProps): VNode {
  return (
    <div class="stack">
      {destinations.map((destination) => {
        const [tone, what, why] = whatIsWrong(destination, switchOffAfter);
        return (
          <Alert tone={tone} title={`The destination “${destinationTitle(destination)}” ${what}`}>
            <p>
              {why} <a href={link(`/destinations/${destination.id}`)}>What happened</a>
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

/** How grave it is, what is wrong, and what that means. */
function whatIsWrong(
  { state, pausedByPlan, switchedOffAt, switchedOffReason, consecutiveFailures: run }: UnhealthyDestination,
  switchOffAfter: number,
): readonly [tone: 'bad' | 'warn', what: string, why: ComponentChildren] {
  if (state === 'off') return ['bad', 'is off', <WhyOff reason={switchedOffReason} at={switchedOffAt} />];
  if (pausedByPlan) {
    return ['warn', 'is paused', 'The plan has no place for it: it stays as it is, and nothing is sent to it.'];
  }
  const tone = failureTone(run, switchOffAfter);
  return [tone, `is failing: ${failureRun(run, switchOffAfter)}`, `It is switched off at ${switchOffAfter}.`];
}

function staleTitle(count: number, hasMore: boolean): string {
  const who = hasMore ? `More than ${count} artists` : count === 1 ? 'One artist' : `${count} artists`;
  return `${who} without a complete reading for three intervals of the plan`;
}

/** @param isBeside in the answer for another part of the page: htmx puts it in its own place. */
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
            Changes of your <a href={link('/artists')}>artists</a> are listed here as soon as they are certain.
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

/** The newest change of each artist, with all of its changes; the artist with the newest change first. */
function byArtist(changes: readonly OverviewChange[]): Array<[newest: OverviewChange, changes: OverviewChange[]]> {
  const groups = new Map<string, [OverviewChange, OverviewChange[]]>();
  for (const change of changes) {
    const group = groups.get(change.artistId);
    if (group) group[1].push(change);
    else groups.set(change.artistId, [change, [change]]);
  }
  return [...groups.values()];
}
