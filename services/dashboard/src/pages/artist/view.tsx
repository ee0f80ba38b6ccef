import { listEvents } from '@artist-watch/domain/change/change-events';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { trendDays } from '@artist-watch/domain/detection/followers-trend';
import { wallTime } from '@artist-watch/domain/zoned-time';
import type { ArtistDayRecord } from '@artist-watch/persistence/artist/artist-reads';
import { scaleLinear } from 'd3-scale';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ChangesList } from '../../views/changes-list.js';
import { Copyable } from '../../views/copyable.js';
import { Pager } from '../../views/filters.js';
import { ActionButton, Confirmation, LinkButton } from '../../views/form.js';
import { StateBadge } from '../../views/icon.js';
import { dateText, dayText, Instant } from '../../views/instant.js';
import { currentReader } from '../../views/markup.js';
import { Facts, Live, PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty } from '../../views/states.js';
import { ChecksTable, Table } from '../../views/table.js';
import { counted, numberText } from '../../views/text.js';
import type { readArtist, readLive } from './query.js';

const DAY_MS = 86_400_000;

export const LIVE = 'live';

type ArtistLiveProps = Pick<Visit, 'link'> & Awaited<ReturnType<typeof readLive>> & { readonly artistId: string };

interface ArtistProps extends Pick<Visit, 'link' | 'now' | 'zone'>, Awaited<ReturnType<typeof readArtist>> {
  readonly offset: number;
}

export function artistView(props: ArtistProps): VNode {
  const { link, artist, days } = props;
  const charts = (['followers', 'releases', 'tracks'] as const).filter(
    (of) => days.filter((day) => day[of] !== null).length > 1,
  );
  return (
    <>
      <PageHead
        title={artist.name}
        crumbs={[{ label: 'Artists', href: link('/artists') }]}
        badges={<StateBadge state={artist.status} />}
        actions={
          <>
            <LinkButton
              href={artist.platformUrl}
              rel="noreferrer"
              icon="external-link"
              label={`Open on ${currentReader().platformName}`}
            />
            <Confirmation
              label="Stop watching"
              question={`Stop watching ${artist.name}? Past changes stay in your list.`}
              action={link('/artists/stop')}
              fields={{ artist: artist.id }}
              look="danger"
            />
          </>
        }
      />
      <Health {...props} />
      {liveView({ ...props, artistId: artist.id })}
      {charts.map((of) => (
        <Section title={`${changeTitle(of)} over time`}>
          <DayChart of={of} days={days} marks={of === 'followers' ? marksOf(props) : []} />
        </Section>
      ))}
      {charts.length === 0 && !isGone(artist) && (
        <p class="soft">Charts appear once there are full checks on two days.</p>
      )}
      <Releases {...props} />
    </>
  );
}

export function liveView({ link, artistId, checks, changes }: ArtistLiveProps): VNode {
  const [newest] = changes;
  return (
    <Live id={LIVE} from={link(`/artists/${artistId}`)}>
      {checks.length > 0 && (
        <Section title="Being verified">
          <ChecksTable checks={checks} />
        </Section>
      )}
      {newest && (
        <Section
          title="Recent changes"
          actions={<a href={link(`/changes?artist=${encodeURIComponent(artistId)}`)}>All changes</a>}
        >
          <ChangesList label={`Changes to ${newest.artistName}`} link={link} events={listEvents(changes)} />
        </Section>
      )}
    </Live>
  );
}

function isGone({ status }: ArtistProps['artist']): boolean {
  return status === 'not_found' || status === 'merged';
}

/** Marks days when followers dropped or spiked, using the same rule as the detector. */
function marksOf({ days, artist, link, zone }: ArtistProps): DayMark[] {
  const known = days.flatMap(({ day, followers }) => (followers === null ? [] : [{ day: new Date(day), followers }]));
  return trendDays(known).map(({ day: at, type, usual, followers }) => {
    const day = at.toISOString().slice(0, 10);
    const [tone, word] = type === 'followers_drop' ? (['bad', 'Drop'] as const) : (['good', 'Spike'] as const);
    const text = `${word} on ${day} (UTC): ${numberText(followers)} instead of the usual ${numberText(usual)}`;
    // The list of changes filters by days in the member's time zone, and a UTC day can overlap two of those days.
    const localDay = (ms: number) => wallTime(new Date(ms), zone).toISOString().slice(0, 10);
    const [from, to] = [localDay(at.getTime()), localDay(at.getTime() + DAY_MS - 1)];
    const changes = new URLSearchParams({ artist: artist.id, from, to });
    return { day, value: followers, tone, text, href: link(`/changes?${changes}`) };
  });
}

function Health({ link, artist, days, now, mergedUrl, changes }: ArtistProps): VNode {
  const { status, staleReason, lastCompleteAt, nextReadAt, counts, metrics } = artist;
  const weekAgo = new Date(now.getTime() - 7 * DAY_MS).toISOString().slice(0, 10);
  const week = days.filter(({ day }) => day > weekAgo);
  const sum = (of: (day: ArtistDayRecord) => number) => week.reduce((total, day) => total + of(day), 0);
  const [complete, readings] = [sum(({ completeReadings }) => completeReadings), sum((day) => day.readings)];
  const { platformName } = currentReader();
  const isCurrent = !isGone(artist);
  const into = changes.find(({ type }) => type === 'artist_merged')?.after;
  // We rarely check an artist that wasn't found, so an old time would look like a missed check.
  const nextCheck = isCurrent || nextReadAt >= now ? <Instant at={nextReadAt} /> : undefined;
  const count = (value: number | null) => (value === null || !isCurrent ? undefined : numberText(value));
  return (
    <>
      {status === 'stale' && (
        <Alert tone="warn" title="Overdue: the last three checks were missed or incomplete">
          <p>{staleReason?.message} The next full check finds all changes since the last one.</p>
        </Alert>
      )}
      {status === 'merged' && (
        <Alert tone="warn" title={`Merged into another artist on ${platformName}`}>
          <p>
            This artist is now part of{' '}
            <a href={mergedUrl}>
              <bdi>{(into?.kind === 'credits' && into.value[0]?.name) || 'another artist'}</bdi>
            </a>
            . Past changes stay in your list.
          </p>
          <ActionButton action={link(`/artists/${artist.id}/follow`)}>Watch the other artist instead</ActionButton>
        </Alert>
      )}
      {status === 'not_found' && (
        <Alert tone="warn" title={`Not found on ${platformName}`}>
          <p>
            The artist may have been removed, or the ID may be wrong. After an hour, it no longer counts toward your
            plan.
          </p>
        </Alert>
      )}
      <Section title="Health">
        <Facts
          items={[
            ['Last full check', lastCompleteAt === null ? 'None yet' : <Instant at={lastCompleteAt} />],
            [nextReadAt < now ? 'Next check was due' : 'Next check', nextCheck],
            ['Checks in 7 days', readings === 0 || !isCurrent ? undefined : checksText(readings, complete)],
            ['Watched since', <Instant at={artist.watchedSince} />],
            ['Releases', count(counts.releases)],
            ['Tracks', count(counts.tracks)],
            ['Followers', metrics.followers === 'available' ? count(artist.followers) : undefined],
            [
              'Monthly listeners',
              metrics.monthly_listeners === 'available' ? count(artist.monthlyListeners) : undefined,
            ],
            ['ID', <Copyable text={artist.id} />],
            [`${platformName} ID`, <Copyable text={artist.platformId} />],
          ]}
        />
      </Section>
    </>
  );
}

function checksText(all: number, full: number): string {
  return full === all ? `${all}, all complete` : `${all}, ${all - full} of them incomplete`;
}

function Releases({ link, artist, releases, offset, nextOffset }: ArtistProps): VNode | null {
  if (isGone(artist) && releases.length === 0 && offset === 0) return null;
  const here = link(`/artists/${artist.id}`);
  return (
    <Section title={isGone(artist) ? 'Releases at the last full check' : 'Releases'}>
      <Table
        empty={
          <Empty title={offset > 0 ? 'No more releases' : 'No releases yet'} icon="disc-3">
            <p>Releases appear here after the first full check.</p>
          </Empty>
        }
        caption="Releases"
        isTerse
        rows={releases}
        href={({ url }) => url}
        columns={[
          { label: 'Title', cell: ({ title, platformId }) => title ?? platformId },
          { label: 'Type', priority: 2, cell: ({ type }) => (type ? changeTitle(type) : '–') },
          { label: 'Date', cell: ({ releaseDate }) => dateText(releaseDate) ?? '–' },
          { label: 'Label', priority: 3, cell: ({ label }) => label ?? '–' },
          { label: 'Tracks', numeric: true, cell: ({ tracks }) => (tracks ? counted(tracks.length, 'track') : '–') },
        ]}
      />
      <Pager
        first={offset > 0 ? here : undefined}
        next={nextOffset === undefined ? undefined : `${here}?releases=${nextOffset}`}
      />
    </Section>
  );
}

interface Point {
  readonly day: string;
  readonly value: number;
}

interface DayMark extends Point {
  readonly tone: 'bad' | 'good';
  readonly text: string;
  readonly href: string;
}

interface DayChartProps {
  readonly of: 'followers' | 'releases' | 'tracks';
  /** At least two of them have a value. */
  readonly days: readonly ArtistDayRecord[];
  readonly marks: readonly DayMark[];
}

const [WIDTH, HEIGHT] = [720, 220];
/** Space for numbers on the left, marks at the top and days at the bottom. */
const [LEFT, RIGHT, TOP, BOTTOM] = [80, 24, 12, 36];
const LABELS = 7;
/** Colors are set in the stylesheet, because the content security policy forbids style attributes. */
function DayChart({ of, days, marks }: DayChartProps): VNode {
  const title = `${changeTitle(of)} by day (UTC)`;
  const points = days.map(({ day, ...counts }) => ({ day, value: counts[of] }));
  const known = points.filter((point): point is Point => point.value !== null);
  const [first, last] = [known[0], known.at(-1)] as [Point, Point];
  const values = known.map(({ value }) => value);
  const [firstMs, lastMs] = [Date.parse(first.day), Date.parse(last.day)];
  const x = scaleLinear([firstMs, lastMs], [LEFT, WIDTH - RIGHT]);
  const y = scaleLinear([Math.min(...values), Math.max(...values)], [HEIGHT - BOTTOM, TOP]).nice(4);
  const at = ({ day, value }: Point) => [x(Date.parse(day)), y(value)] as const;
  const path = points.map(({ day, value }, index) => {
    const isAfterGap = (points[index - 1]?.value ?? null) === null;
    return value === null ? '' : `${isAfterGap ? 'M' : 'L'}${at({ day, value })}`;
  });
  const count = (lastMs - firstMs) / DAY_MS + 1;
  const every = Math.ceil(count / LABELS);
  const labelled = Array.from({ length: Math.ceil(count / every) }, (_, index) => lastMs - index * every * DAY_MS);
  const [cx, cy] = at(last);
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}.</strong> {summaryOf([first, last], marks.length)}
      </figcaption>
      {/* The role `img` would hide the links from screen readers. */}
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role={marks.length > 0 ? undefined : 'img'}>
        <title>{title}</title>
        {y
          .ticks(4)
          .filter(Number.isInteger)
          .map((tick) => (
            <>
              <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
              <text class="label" x={LEFT - 8} y={y(tick)} dy="0.32em" text-anchor="end">
                {numberText(tick)}
              </text>
            </>
          ))}
        <path class="line" d={path.join('')} />
        <circle class="info" cx={cx} cy={cy} r="4" />
        {marks.map(({ tone, text, href, ...mark }) => (
          <a href={href} aria-label={text}>
            <title>{text}</title>
            <circle class={tone} cx={at(mark)[0]} cy={at(mark)[1]} r="7" />
          </a>
        ))}
        {labelled.map((ms, index) => (
          <text class={index % 2 === 1 ? 'label roomy' : 'label'} x={x(ms)} y={HEIGHT - 8} text-anchor="middle">
            {dayText(new Date(ms))}
          </text>
        ))}
      </svg>
      <details>
        <summary>Show as a table</summary>
        <Table
          caption={`${changeTitle(of)} by day`}
          rows={[...days].reverse()}
          columns={[
            { label: 'Day (UTC)', cell: ({ day }) => dateText(day) },
            { label: changeTitle(of), numeric: true, cell: (each) => numberText(each[of]) },
            {
              label: 'Full checks',
              numeric: true,
              cell: ({ completeReadings, readings }) => `${completeReadings} of ${readings}`,
            },
          ]}
        />
      </details>
    </figure>
  );
}

function summaryOf([first, last]: readonly [Point, Point], marks: number): string {
  const change = last.value - first.value;
  const words = change === 0 ? 'no change' : `${numberText(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'}`;
  const marked = marks === 0 ? '' : ` ${marks} ${marks === 1 ? 'day is' : 'days are'} marked as unusual.`;
  const on = ({ day, value }: Point) => `${numberText(value)} on ${dayText(new Date(day))}`;
  return `${on(first)}, ${on(last)}: ${words}.${marked}`;
}
