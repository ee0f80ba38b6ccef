import { LRUCache } from 'lru-cache';
import { hostOf, portOf } from '../proxy-address.js';

/** Where a request goes, in the options of Node's client. */
export interface RequestTarget {
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** The value of `Host`: without a port where it is that of the scheme (RFC 9110 section 7.2). */
  readonly authority: string;
}

const MAX_KNOWN = 10_000;

/**
 * Reads the addresses of destinations, each once as long as it is in use.
 *
 * @throws {TypeError} for what is no URL.
 */
export function createTargetReader(): (url: string) => RequestTarget {
  const known = new LRUCache<string, RequestTarget>({ max: MAX_KNOWN });
  return (url) => {
    let target = known.get(url);
    if (!target) {
      target = targetIn(new URL(url));
      known.set(url, target);
    }
    return target;
  };
}

function targetIn(url: URL): RequestTarget {
  return {
    isTls: url.protocol === 'https:',
    host: hostOf(url),
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    authority: url.host,
  };
}
