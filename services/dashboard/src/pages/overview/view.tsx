import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ChangesTable } from '../../views/changes-table.js';
import { ChecksTable } from '../../views/checks-table.js';
import { Icon } from '../../views/icon.js';
import { Live, PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty, WhyOff } from '../../views/states.js';
import { destinationTitle, failureRun, failureTone } from '../../views/text.js';
import { ChangesChart } from './changes-chart.js';
import type { readLive, readOverview } from './query.js';

/** The id of what keeps itself current. */
export const LIVE = 'live';

type OverviewLiveProps = Pick<Visit, 'link'> & Awaited<ReturnType<typeof readLive>>;

interface OverviewProps extends Pick<Visit, 'link'>, Awaited<ReturnType<typeof readOverview>> {
  /** At so many failures in a row a destination is switched off. */
  readonly switchOffAfter: number;
}
type OverviewChange = OverviewProps['changes'][number];

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
      <Wrong {...props} />
      <Checks {...props} />
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
      <Checks {...props} />
      <Newest {...props} isBeside />
    </>
  );
}

function Checks({ link, checks, hasMoreChecks }: OverviewLiveProps): VNode {
  return (
    <Live id={LIVE} from={link('')}>
      <Section title="Checks under way">
        {checks.length === 0 ? (
          <p class="soft">Nothing is being checked.</p>
        ) : (
          <ChecksTable checks={checks} hrefOfArtist={(id) => link(`/artists/${id}`)} />
        )}
        {hasMoreChecks && <p class="soft">There are more: the page of each artist has its own.</p>}
      </Section>
    </Live>
  );
}

/** What wants a hand, or a look. */
function Wrong({ link, destinations, switchOffAfter, stale, hasMoreStale }: OverviewProps): VNode {
  if (destinations.length === 0 && stale.length === 0) {
    return <Alert tone="good" title="No destination is off or failing, and no artist is stale" />;
  }
  return (
    <div class="stack">
      {destinations.map((destination) => (
        <WrongDestination {...{ destination, switchOffAfter, link }} />
      ))}
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

function WrongDestination({
  destination,
  switchOffAfter,
  link,
}: Pick<OverviewProps, 'switchOffAfter' | 'link'> & {
  readonly destination: OverviewProps['destinations'][number];
}): VNode {
  const { id, state, pausedByPlan, switchedOffAt, switchedOffReason, consecutiveFailures: run } = destination;
  const name = `The destination “${destinationTitle(destination)}”`;
  const href = link(`/destinations/${id}`);
  if (state === 'off') {
    return (
      <Alert tone="bad" title={`${name} is off`}>
        <p>
          <WhyOff reason={switchedOffReason} at={switchedOffAt} /> <a href={href}>What happened</a>
        </p>
      </Alert>
    );
  }
  if (pausedByPlan) {
    return (
      <Alert tone="warn" title={`${name} is paused`}>
        <p>
          The plan has no place for it: it stays as it is, and nothing is sent to it. <a href={href}>Open it</a>
        </p>
      </Alert>
    );
  }
  return (
    <Alert tone={failureTone(run, switchOffAfter)} title={`${name} is failing: ${failureRun(run, switchOffAfter)}`}>
      <p>
        It is switched off at {switchOffAfter}. <a href={href}>What happened</a>
      </p>
    </Alert>
  );
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
