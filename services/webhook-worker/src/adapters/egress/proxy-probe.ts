import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { EgressError } from '@artist-watch/domain/delivery/egress-error';
import { connectionTo, credentialsOf } from './proxy-address.js';
import { codeOf } from './tunnel-error.js';

const OVERLOADED: EgressError = 'overloaded';

/** `overloaded`: it is there, and asks to be left out, because it is full or about to stop (ours says so). */
export type ProxyState = 'well' | 'overloaded' | 'silent';

/**
 * Asks a proxy whether it is there, by `OPTIONS *` (RFC 9110 section 9.3.7); whatever it answers, it is. To connect is
 * not enough: the kernel takes connections in the name of a process that is frozen, or dying.
 *
 * @param peer the address of the one that is asked, where several may stand behind the name.
 *
 * One question at a time: those who ask meanwhile share the answer to the next one, so that a thousand broken tunnels
 * cost two.
 */
export function createProxyProbe(
  proxy: URL,
  lookup: LookupFunction,
  timeoutMs: number,
  peer?: string,
): () => Promise<ProxyState> {
  let running: Promise<ProxyState> | undefined;
  let next: Promise<ProxyState> | undefined;

  function start(): Promise<ProxyState> {
    const question = ask(proxy, lookup, timeoutMs, peer).finally(() => {
      running = undefined;
    });
    running = question;
    return question;
  }

  return () => {
    if (!running) return start();
    // The one that is on its way may have been answered before what made this one ask.
    next ??= running.then(() => {
      next = undefined;
      return start();
    });
    return next;
  };
}

function ask(proxy: URL, lookup: LookupFunction, timeoutMs: number, peer?: string): Promise<ProxyState> {
  return new Promise((resolve) => {
    const request = (proxy.protocol === 'https:' ? https : http).request({
      ...connectionTo(proxy, lookup, peer),
      method: 'OPTIONS',
      path: '*',
      headers: credentialsOf(proxy),
    });
    const finish = (state: ProxyState) => {
      clearTimeout(patience);
      resolve(state);
      request.destroy();
    };
    const patience = setTimeout(() => finish('silent'), timeoutMs);
    request.on('response', ({ headers }) => finish(headers['x-egress-error'] === OVERLOADED ? 'overloaded' : 'well'));
    // What is not HTTP was said by somebody all the same.
    request.on('error', (error) => finish(codeOf(error).startsWith('HPE_') ? 'well' : 'silent'));
    request.end();
  });
}
