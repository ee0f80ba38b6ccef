import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { EgressError } from '@artist-watch/domain/delivery/egress-error';
import { connectionTo, credentialsOf } from './proxy-address.js';
import { codeOf } from './tunnel-error.js';

const OVERLOADED: EgressError = 'overloaded';

/** `overloaded`: it is there, and asks to be left out, because it is full or about to stop (ours says so). */
export type ProxyAnswer = 'well' | 'overloaded' | 'silent';

/**
 * Asks the proxy at an address whether it is there, by `OPTIONS *` (RFC 9110 section 9.3.7); whatever it answers, it is. To
 * connect is not enough: the kernel takes connections in the name of a process that is frozen, or dying.
 */
export function checkProxy(
  proxy: URL,
  address: string,
  { lookup, timeoutMs }: { readonly lookup: LookupFunction; readonly timeoutMs: number },
): Promise<ProxyAnswer> {
  return new Promise((resolve) => {
    const request = (proxy.protocol === 'https:' ? https : http).request({
      ...connectionTo(proxy, lookup, address),
      method: 'OPTIONS',
      path: '*',
      headers: credentialsOf(proxy),
    });
    const finish = (answer: ProxyAnswer) => {
      clearTimeout(deadline);
      resolve(answer);
      request.destroy();
    };
    const deadline = setTimeout(() => finish('silent'), timeoutMs);
    request.on('response', ({ headers }) => finish(headers['x-egress-error'] === OVERLOADED ? 'overloaded' : 'well'));
    // What is not HTTP was said by somebody all the same.
    request.on('error', (error) => finish(codeOf(error).startsWith('HPE_') ? 'well' : 'silent'));
    request.end();
  });
}
