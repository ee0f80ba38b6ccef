import type { ArtistItem } from '@artist-watch/contracts/api/artist';
import type { VNode } from 'preact';
import { ChangesTable, type ListedChange } from '../../views/changes-table.js';
import { ChecksTable, type ShownCheck } from '../../views/checks-table.js';
import { Icon } from '../../views/icon.js';
import { Live } from '../../views/live.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty, WhyOff } from '../../views/states.js';
import { ChangesChart, type ChangesOfDay } from './changes-chart.js';

/** The id of what keeps itself current. */
export const LIVE = 'live';

type OverviewChange = ListedChange & { readonly artistName: string };

interface OverviewLiveProps {
  readonly link: (path: string) => string;
  readonly checks: readonly ShownCheck[];
  readonly hasMoreChecks: boolean;
  /** Newest first. */
  readonly changes: readonly OverviewChange[];
}

interface OverviewProps extends OverviewLiveProps {
  readonly locale: string;
  readonly days: readonly ChangesOfDay[];
  /** That get nothing. */
  readonly destinations: ReadonlyArray<{
    readonly id: string;
    readonly name: string | null;
    readonly url: string;
    readonly state: 'active' | 'off';
    readonly switchedOffAt: Date | null;
    readonly switchedOffReason: string | null;
  }>;
  readonly stale: readonly ArtistItem[];
  readonly hasMoreStale: boolean;
}

export function overviewView(props: OverviewProps): VNode {
  const { link, locale, days } = props;
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
      <Section title="Changes">
        <ChangesChart {...{ days, locale, hrefOfDay }} />
      </Section>
      {liveView(props)}
    </>
  );
}

export function liveView(props: OverviewLiveProps): VNode {
  const { link, checks, hasMoreChecks } = props;
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
      <Newest {...props} />
    </Live>
  );
}

/** What wants a hand, or a look. */
function Wrong({ link, destinations, stale, hasMoreStale }: OverviewProps): VNode {
  if (destinations.length === 0 && stale.length === 0) {
    return <Alert tone="good" title="No destination is off, and no artist is stale" />;
  }
  return (
    <div class="stack">
      {destinations.map(({ id, name, url, state, switchedOffAt, switchedOffReason }) =>
        state === 'off' ? (
          <Alert tone="bad" title={`The destination ${name ?? url} is off`}>
            <p>
              <WhyOff reason={switchedOffReason} at={switchedOffAt} />{' '}
              <a href={link(`/destinations/${id}`)}>What happened</a>
            </p>
          </Alert>
        ) : (
          <Alert tone="warn" title={`The destination ${name ?? url} is paused`}>
            <p>
              The plan has no place for it: it stays as it is, and nothing is sent to it.{' '}
              <a href={link(`/destinations/${id}`)}>Open it</a>
            </p>
          </Alert>
        ),
      )}
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

function staleTitle(count: number, hasMore: boolean): string {
  const who = hasMore ? `More than ${count} artists` : count === 1 ? 'One artist' : `${count} artists`;
  return `${who} without a complete reading for three intervals of the plan`;
}

function Newest({ link, changes }: OverviewLiveProps): VNode {
  return (
    <Section title="Newest changes" actions={<a href={link('/changes')}>All changes</a>}>
      {changes.length === 0 && (
        <Empty title="No changes yet" icon="activity">
          <p>
            What changes of the <a href={link('/artists')}>artists</a> that are watched stands here once it is certain.
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
