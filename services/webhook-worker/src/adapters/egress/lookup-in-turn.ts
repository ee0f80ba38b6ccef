import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** All addresses of a name, in the order in which the system would try them. */
export type LookUpAll = (
  name: string,
  onFound: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/**
 * A look-up whose answer begins with another address each time, and ends with those that are unhealthy. Of several proxies
 * behind one name the system's would give most tunnels to one: it sorts by how near an address looks (RFC 6724 section
 * 6), and keeps its answer. Whoever connects tries the next address when one fails.
 */
export function createLookupInTurn(
  isUnhealthy: (address: string) => boolean,
  lookUpAll: LookUpAll = (name, onFound) => lookup(name, { all: true }, onFound),
): LookupFunction {
  let turn = 0;
  return (name, { all }, onFound) => {
    lookUpAll(name, (error, found) => {
      const ordered = error ? [] : unhealthyLast(beginningWith(turn++, found), isUnhealthy);
      const [first] = ordered;
      if (error || all || !first) onFound(error, ordered);
      else onFound(null, first.address, first.family);
    });
  };
}

/** The family that the system prefers stays in front; the other may lead nowhere. */
function beginningWith(turn: number, addresses: readonly LookupAddress[]): LookupAddress[] {
  const preferred = addresses.filter(({ family }) => family === addresses[0]?.family);
  const others = addresses.filter(({ family }) => family !== addresses[0]?.family);
  const first = turn % (preferred.length || 1);
  return [...preferred.slice(first), ...preferred.slice(0, first), ...others];
}

function unhealthyLast(
  addresses: readonly LookupAddress[],
  isUnhealthy: (address: string) => boolean,
): LookupAddress[] {
  const unhealthy = new Set(addresses.filter(({ address }) => isUnhealthy(address)));
  return [...addresses.filter((each) => !unhealthy.has(each)), ...unhealthy];
}
