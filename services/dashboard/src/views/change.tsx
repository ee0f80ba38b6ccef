import type { EvidencedChange } from '@artist-watch/contracts/api/change';
import { firstObserved } from '@artist-watch/domain/change/change-types';
import { type ChangeValue, changeValueText } from '@artist-watch/domain/change/change-value';
import { marketFacts } from '@artist-watch/domain/change/distributor-text';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { diffWordsWithSpace } from 'diff';
import type { ComponentChildren, VNode } from 'preact';
import { SeverityBadge } from './icon.js';
import { dateText, Instant, spanText } from './instant.js';
import { currentReader } from './markup.js';
import { Facts } from './page-head.js';
import { counted, numberText } from './text.js';

interface Values {
  readonly before: ChangeValue | null;
  readonly after: ChangeValue | null;
}

export type ShownPicture = { readonly href: string } | { readonly missing: string };

interface ComparedValues extends Values {
  readonly pictures?: { readonly before?: ShownPicture; readonly after?: ShownPicture };
}

export function BeforeAfter({ before, after, pictures = {} }: ComparedValues): VNode {
  if (before === null && after === null) return <p class="soft">The report doesn't include the old and new values.</p>;
  if (before?.kind === 'markets' && after?.kind === 'markets')
    return <Facts items={marketFacts(before.value, after.value)} />;
  if (before?.kind === 'text' && after?.kind === 'text') return <WordDiff before={before.value} after={after.value} />;
  const { platformName } = currentReader();
  const was = before && { value: before, other: after, picture: pictures.before };
  const is = after && { value: after, other: before, picture: pictures.after };
  return (
    <SideBySide
      before={was ? <Side {...was} of={(text) => <del>{text}</del>} /> : <p class="soft">Not on {platformName}.</p>}
      after={is ? <Side {...is} of={(text) => <ins>{text}</ins>} /> : <p class="soft">Removed.</p>}
    />
  );
}

function SideBySide({ before, after }: Record<'before' | 'after', VNode>): VNode {
  return (
    <div class="word-diff">
      <div>
        <h3>Before</h3>
        {before}
      </div>
      <div>
        <h3>After</h3>
        {after}
      </div>
    </div>
  );
}

/** Comparing texts word by word takes too long if they are longer than this. */
const MAX_COMPARED_CHARS = 2_000;

export function WordDiff({ before, after }: Record<'before' | 'after', string>): VNode {
  const isLong = before.length + after.length > MAX_COMPARED_CHARS;
  const parts = isLong
    ? [
        { value: before, removed: true, added: false },
        { value: after, removed: false, added: true },
      ]
    : diffWordsWithSpace(before, after);
  const was = parts.filter(({ added }) => !added);
  const is = parts.filter(({ removed }) => !removed);
  return (
    <SideBySide
      before={<p dir="auto">{was.map(({ value, removed }) => (removed ? <del>{value}</del> : value))}</p>}
      after={<p dir="auto">{is.map(({ value, added }) => (added ? <ins>{value}</ins> : value))}</p>}
    />
  );
}

const FIELDS = {
  type: 'Type',
  releaseDate: 'Release date',
  label: 'Label',
  upc: 'UPC',
  trackCount: 'Tracks',
  position: 'Position',
  isrc: 'ISRC',
};

interface SideProps {
  readonly value: ChangeValue;
  readonly other: ChangeValue | null;
  readonly of: (text: string) => VNode;
  readonly picture: ShownPicture | undefined;
}

/** @param of marks text that the other side doesn't contain */
function Side({ value, other, of, picture }: SideProps): VNode {
  switch (value.kind) {
    case 'credits':
    case 'markets':
      return <List items={itemsOf(value)} others={other === null ? [] : itemsOf(other)} of={of} />;
    case 'release':
    case 'track': {
      const { title, platformId, ...values } = value.value;
      const dated = 'type' in values && {
        releaseDate: dateText(values.releaseDate),
        type: values.type && changeTitle(values.type),
      };
      const known: Readonly<Partial<Record<string, unknown>>> = { ...values, ...dated };
      const items = Object.entries(FIELDS).map(([name, label]) => [label, known[name] as string | undefined] as const);
      const id = [`${currentReader().platformName} ID`, platformId] as const;
      return (
        <>
          {picture && 'href' in picture && <img src={picture.href} alt="Cover" width="96" height="96" />}
          <Facts items={[['Title', <bdi>{title ?? platformId}</bdi>], ...items, id]} />
        </>
      );
    }
    case 'catalogue': {
      const { markets, releases, of: total } = value.value;
      return (
        <>
          <p>
            {releases.length} of {total} releases in {markets.join(', ')}
          </p>
          <List items={releases.map(({ title }) => title)} others={[]} of={of} />
        </>
      );
    }
    case 'picture':
      return picture && 'href' in picture ? (
        <a href={picture.href}>
          <img src={picture.href} alt="Open at full size" width="240" height="240" />
        </a>
      ) : (
        <p class="soft">{picture?.missing ?? 'We have no picture.'}</p>
      );
    default:
      return <p dir="auto">{other === null ? shownText(value) : of(shownText(value))}</p>;
  }
}

const MAX_LISTED = 200;

function List({ items, others, of }: Pick<SideProps, 'of'> & Record<'items' | 'others', readonly string[]>): VNode {
  const known = new Set(others);
  const shown = items.slice(0, MAX_LISTED);
  return (
    <p dir="auto">
      {shown.map(
        (item, index): ComponentChildren => (
          <>
            {index > 0 && ', '}
            {known.has(item) ? <bdi>{item}</bdi> : of(item)}
          </>
        ),
      )}
      {items.length === 0 && <span class="soft">None</span>}
      {items.length > shown.length && ` and ${items.length - shown.length} more`}
    </p>
  );
}

function itemsOf(value: ChangeValue): readonly string[] {
  if (value.kind === 'credits') return value.value.map(({ name }) => name);
  return value.kind === 'markets' ? value.value : [];
}

function shownText(value: ChangeValue): string {
  if (value.kind === 'date') return dateText(value.value) ?? '';
  return value.kind === 'number' ? numberText(value.value) : changeValueText(value);
}

const SHORT_CHARS = 60;

/** Shows values such as " · Flowers → Flower". Null if a value is missing or too long, or if it is a picture. */
export function ShortBeforeAfter({ before, after }: Values): VNode | null {
  if (before === null || after === null || before.kind === 'picture') return null;
  const [was, is] = [shownText(before), shownText(after)];
  if (was.length > SHORT_CHARS || is.length > SHORT_CHARS) return null;
  return (
    <>
      {' · '}
      <bdi>{was}</bdi> → <bdi>{is}</bdi>
    </>
  );
}

interface FactLineProps {
  readonly change: EvidencedChange;
  readonly platformName: string;
  /** Adds the time zone, for readers who are not members. */
  readonly isExact?: boolean;
}

/** Shows a line such as "Removed from Deezer · first missing 26 Nov, 20:07 · confirmed by 3 checks". */
export function FactLine({ change, platformName, isExact = false }: FactLineProps): VNode {
  const { type, severity, detectedAt, confirmedAt } = change;
  const counts = countedObservations(change);
  return (
    <p class="fact-line">
      <SeverityBadge severity={severity} /> <strong>{factOf(type, platformName)}</strong>
      {` · ${firstObserved(type)} `}
      <Instant at={detectedAt} isShort={!isExact} isExact={isExact} />
      {` · ${confirmationText(change)}`}
      {counts.length > 1 && ` within ${spanText(detectedAt, confirmedAt)}`}
    </p>
  );
}

function factOf(type: string, platformName: string): string {
  const [, what] = /^(?:release|track)_(added|removed|restored)$/.exec(type) ?? [];
  if (what === 'added') return `Added to ${platformName}`;
  if (what === 'removed') return `Removed from ${platformName}`;
  return what === 'restored' ? `Back on ${platformName}` : changeTitle(type);
}

export function confirmationText(change: EvidencedChange): string {
  if (change.origin === 'reported') return 'reported through the API';
  return `confirmed by ${counted(countedObservations(change).length, 'check')}`;
}

function countedObservations({ observations }: EvidencedChange): EvidencedChange['observations'] {
  return observations.filter(({ kind }) => kind === 'counted');
}
