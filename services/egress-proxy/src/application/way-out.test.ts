import { type IpAddress, parseIpAddress } from '@artist-watch/address-policy/ip-address';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { DialFailure, type DialFailureKind } from './dial-failure.js';
import type { Connection, Dial } from './ports.js';
import { WayOut } from './way-out.js';

const address = parseIpAddress('8.8.8.8') as IpAddress;
const dead = ['a', 'b', 'c', 'd', 'e'];
const CHARGED = false;
const LOST = true;

let time: { ms: number };
let wayOut: WayOut;
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
  wayOut = new WayOut({ dial, monotonicMs: () => time.ms });
});
afterEach(() => {
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

function reach(...ports: readonly number[]): void {
  for (const host of dead) wayOut.reached({ host, address, port: 1 });
  for (const port of ports) wayOut.reached({ host: `well ${port}`, address, port });
  time.ms += 1;
}

/** A dial that began now to each of the five. */
function loseFive(): Promise<boolean[]> {
  time.ms += 1;
  return Promise.all(dead.map((host) => wayOut.isLostWith(host, time.ms)));
}

describe('five hosts that are lost in a row', () => {
  test('are charged when one witness answers; nothing is left open at any of them', async () => {
    reach(11, 12, 13);
    const answers = loseFive();
    expect(dials.map(({ port }) => port)).toEqual([13, 12, 11]);
    dials[0]?.fail('unreachable');
    const connection = dials[1]?.open();
    expect(await answers).toEqual(Array(5).fill(CHARGED));
    expect(connection?.destroyed).toBe(true);
    expect(dials[2]?.signal.aborted).toBe(true);
  });

  test('are charged when a witness refuses', async () => {
    reach(11);
    const answers = loseFive();
    dials[0]?.fail('refused');
    expect(await answers).toEqual(Array(5).fill(CHARGED));
  });

  test('are charged without a dial when nobody else was ever reached', async () => {
    reach();
    expect(await loseFive()).toEqual(Array(5).fill(CHARGED));
    expect(dials).toEqual([]);
  });

  test('are charged when another is reached while the witnesses are silent', async () => {
    reach(11);
    const answers = loseFive();
    time.ms += 500;
    wayOut.reached({ host: 'another', address, port: 443 });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await answers).toEqual(Array(5).fill(CHARGED));
  });

  test('are not charged when no witness answers within a second', async () => {
    reach(11, 12);
    const answers = loseFive();
    dials[0]?.fail('unreachable');
    await jest.advanceTimersByTimeAsync(1_000);
    expect((await answers).at(-1)).toBe(LOST);
    expect(dials.every(({ signal }) => signal.aborted)).toBe(true);
  });
});

describe('the witnesses', () => {
  test('are asked once for all that wait for their answer', async () => {
    reach(11);
    await Promise.all([
      loseFive(),
      loseFive(),
      wayOut.isLostWith('never reached', time.ms),
      jest.advanceTimersByTimeAsync(1_000),
    ]);
    expect(dials).toHaveLength(1);
  });

  test('are asked once in five seconds of an outage, until something is reached', async () => {
    reach(11);
    await Promise.all([loseFive(), jest.advanceTimersByTimeAsync(1_000)]);
    time.ms += 4_000;
    expect(await loseFive()).toEqual(Array(5).fill(LOST));
    expect(dials).toHaveLength(1);
    time.ms += 1_000;
    const again = loseFive();
    expect(dials).toHaveLength(2);
    dials[1]?.fail('unreachable');
    expect((await again).at(-1)).toBe(LOST);
    reach();
    expect(await wayOut.isLostWith('a', time.ms)).toBe(CHARGED);
  });
});
