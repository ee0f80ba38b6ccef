import type { ReleaseState } from '../catalogue.js';
import type { Severity } from '../change/change-types.js';
import { type Difference, type JsonValue, makeDifference } from '../change/difference.js';

/** Losses and gains are confirmed by different rules, so they are reported as separate changes. */
export function compareMarkets(before: ReleaseState, after: ReleaseState): readonly Difference[] {
  const [from, to] = [knownMarkets(before), knownMarkets(after)];
  if (from === undefined || to === undefined || unchanged(from, to)) return NONE;
  const was = marketSet(from);
  const is = marketSet(to);
  const lost = sortedWithout(was, is);
  // A new release's first markets often come from an outdated cache.
  const gained = before.marketsSeenOnce ? [] : sortedWithout(is, was);
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

/** Spotify returns an empty list for some existing releases, so an empty list is treated as unknown. */
export function knownMarkets({ markets }: ReleaseState): readonly string[] | undefined {
  return markets?.length === 0 ? undefined : markets;
}

/** Usually no market has changed, so comparing the lists first avoids creating two sets of 180 markets. */
function unchanged(before: readonly string[], after: readonly string[]): boolean {
  if (before.length !== after.length) return false;
  if (before.every((market, index) => market === after[index])) return true;
  const awaited = new Set(before);
  return after.every((market) => awaited.delete(market));
}

export function lossSeverity(lost: number, of: number): Severity {
  return lost * 2 >= of ? 'critical' : 'warning';
}

export function lostMarkets({ before, after }: Difference): readonly string[] {
  return sortedWithout(marketsOf(before), marketsOf(after));
}

export function gainedMarkets({ before, after }: Difference): readonly string[] {
  return sortedWithout(marketsOf(after), marketsOf(before));
}

export function changedMarkets(difference: Difference): readonly string[] {
  return difference.type === 'availability_expanded' ? gainedMarkets(difference) : lostMarkets(difference);
}

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
