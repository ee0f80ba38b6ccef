import { type IpAddress, parseIpAddress } from '@artist-watch/address-policy/ip-address';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Connectivity } from './connectivity.js';
import { type Connection, type Dial, DialFailure, type DialFailureKind } from './dial.js';

const address = parseIpAddress('8.8.8.8') as IpAddress;
const dead = ['a', 'b', 'c', 'd', 'e'];

let time: { ms: number };
let connectivity: Connectivity;
let dials: { port: number; signal: AbortSignal; open(): { destroyed: boolean }; fail(kind: DialFailureKind): void }[];

const dial: Dial<Connection> = (_address, port, signal) =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    dials.push({
      port,
      signal,
      open: () => {
        const connection = {
          destroyed: false,
          destroy: () => {
            connection.destroyed = true;
          },
        };
        resolve(connection);
        return connection;
      },
      fail: (kind) => reject(new DialFailure(kind)),
    });
  });

beforeEach(() => {
  jest.useFakeTimers();
  time = { ms: 0 };
  dials = [];
  connectivity = new Connectivity({
    resolve: async () => [],
    dial,
    monotonicMs: () => time.ms,
    unusedName: () => 'unused.example',
  });
  for (const host of dead) connectivity.reached(host, address, 1);
});
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

function reachHealthy(...ports: readonly number[]): void {
  for (const port of ports) connectivity.reached(`healthy ${port}`, address, port);
}

function loseFive(): Promise<boolean[]> {
  time.ms += 1_000;
  return Promise.all(dead.map((host) => connectivity.isNetworkDownFor(host, time.ms)));
}

describe('after five hosts fail in a row', () => {
  test('the network is considered up if another host accepts a test connection', async () => {
    reachHealthy(11, 12);
    const verdicts = loseFive();
    expect(dials.map(({ port }) => port)).toEqual([12]);
    const connection = dials[0]?.open();
    expect((await verdicts).at(-1)).toBe(false);
    expect(connection?.destroyed).toBe(true);
  });

  test('the network is considered up if another host refuses a test connection', async () => {
    reachHealthy(11);
    const verdicts = loseFive();
    dials[0]?.fail('refused');
    expect((await verdicts).at(-1)).toBe(false);
  });

  test('the network is considered up if another host is reached during the test connection', async () => {
    reachHealthy(11);
    const verdicts = loseFive();
    connectivity.reached('another', address, 443);
    await jest.advanceTimersByTimeAsync(1_000);
    expect((await verdicts).at(-1)).toBe(false);
  });
});

describe('after five hosts fail in a row and no other host responds', () => {
  test('the network is considered down if a test connection gets no response within a second', async () => {
    reachHealthy(11);
    const verdicts = loseFive();
    await jest.advanceTimersByTimeAsync(1_000);
    expect((await verdicts).at(-1)).toBe(true);
    expect(dials[0]?.signal.aborted).toBe(true);
    expect(await connectivity.isNetworkDownFor('never reached', time.ms)).toBe(true);
  });

  test('the network is considered down until a test connection succeeds, with at most one test per second', async () => {
    reachHealthy(11, 12);
    const first = loseFive();
    dials[0]?.fail('unreachable');
    expect((await first).at(-1)).toBe(true);
    expect((await Promise.all(dead.map((host) => connectivity.isNetworkDownFor(host, time.ms)))).at(-1)).toBe(true);
    expect(dials).toHaveLength(1);

    const second = loseFive();
    expect(dials[1]?.port).toBe(11);
    dials[1]?.open();
    expect(await second).toEqual(Array(5).fill(false));
  });
});
