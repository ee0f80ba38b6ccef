import type { ReleaseState } from '../catalogue.js';
import type { Severity } from '../change/change-types.js';
import { type Difference, type JsonValue, makeDifference } from '../change/difference.js';

/** Compares markets as sets. Losses and gains are separate changes, because different rules confirm them. */
export function compareMarkets(before: ReleaseState, after: ReleaseState): readonly Difference[] {
  const [from, to] = [knownMarkets(before), knownMarkets(after)];
  if (from === undefined || to === undefined || unchanged(from, to)) return NONE;
  const was = marketSet(from);
  const is = marketSet(to);
  const lost = sortedWithout(was, is);
  const gained = sortedWithout(is, was);
  const parts = {
    entityId: before.platformId,
    entityName: before.title ?? after.title,
    before: [...was].sort(),
    after: [...is].sort(),
  };

  const differences: Difference[] = [];
  if (lost.length > 0) {
    const severity = lossSeverity(lost.length, was.size);
    differences.push(makeDifference({ type: 'availability_reduced', ...parts, became: lost.join(' '), severity }));
  }
  if (gained.length > 0) {
    differences.push(makeDifference({ type: 'availability_expanded', ...parts, became: gained.join(' ') }));
  }
  return differences;
}

const NONE: readonly Difference[] = [];

/**
 * Returns the markets where a release can be played, or undefined if they are unknown. An empty list counts as unknown,
 * because Spotify returns one for releases that exist, and a removed release has its own change type.
 */
export function knownMarkets({ markets }: ReleaseState): readonly string[] | undefined {
  return markets?.length === 0 ? undefined : markets;
}

/** Detects equal lists, the usual case, without building two sets of up to 180 markets. */
function unchanged(before: readonly string[], after: readonly string[]): boolean {
  if (before.length !== after.length) return false;
  if (before.every((market, index) => market === after[index])) return true;
  const awaited = new Set(before);
  return after.every((market) => awaited.delete(market));
}

/** Returns the severity of a loss, which is critical if at least half of the markets are lost. */
export function lossSeverity(lost: number, of: number): Severity {
  return lost * 2 >= of ? 'critical' : 'warning';
}

/** Returns the lost markets of an availability difference, sorted. */
export function lostMarkets({ before, after }: Difference): readonly string[] {
  return sortedWithout(marketsOf(before), marketsOf(after));
}

export function gainedMarkets({ before, after }: Difference): readonly string[] {
  return sortedWithout(marketsOf(after), marketsOf(before));
}

/** Returns the markets that were lost or gained, depending on the change type. */
export function changedMarkets(difference: Difference): readonly string[] {
  return difference.type === 'availability_expanded' ? gainedMarkets(difference) : lostMarkets(difference);
}

/** Removes markets that another change reports. Returns an empty list if none are left. */
export function excludeMarkets<Type extends Difference>(difference: Type, reported: readonly string[]): Type[] {
  const left = changedMarkets(difference).filter((market) => !reported.includes(market));
  if (left.length === 0) return [];
  const { type, entityId, entityName, before } = difference;
  const isGain = type === 'availability_expanded';
  const kept = [...marketsOf(difference.after)].filter((market) => !isGain || !reported.includes(market));
  const rest = makeDifference({
    type,
    entityId,
    entityName,
    before,
    after: (isGain ? kept : [...kept, ...reported]).sort(),
    became: left.join(' '),
    ...(!isGain && { severity: lossSeverity(left.length, marketCount(before)) }),
  });
  return [{ ...difference, ...rest }];
}

/** Returns the number of markets in the `before` or `after` of an availability difference. */
export function marketCount(value: JsonValue): number {
  return marketsOf(value).size;
}

function marketsOf(value: JsonValue): ReadonlySet<string> {
  return marketSet(Array.isArray(value) ? value.map(String) : []);
}

export function marketSet(markets: readonly string[]): ReadonlySet<string> {
  return new Set(markets.map((market) => market.toUpperCase()));
}

function sortedWithout(markets: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...markets].filter((market) => !others.has(market)).sort();
}
