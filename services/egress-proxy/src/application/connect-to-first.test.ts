import { type IpAddress, parseIpAddress } from '@artist-watch/address-policy/ip-address';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { AllAddressesFailed, type Connection, connectToFirst, type Dial } from './dial.js';

const [FIRST, SECOND, THIRD] = ['8.8.8.1', '8.8.8.2', '8.8.8.3'].map((text) => parseIpAddress(text) as IpAddress) as [
  IpAddress,
  IpAddress,
  IpAddress,
];

interface Dialled extends Connection {
  readonly text: string;
  destroyed: boolean;
}

function controlledDial() {
  const dials: { text: string; signal: AbortSignal; open(): Dialled; fail(): void }[] = [];
  const dial: Dial<Dialled> = (address, _port, signal) =>
    new Promise((resolve, reject) => {
      dials.push({
        text: address.text,
        signal,
        open: () => {
          const connection: Dialled = {
            text: address.text,
            destroyed: false,
            destroy: () => {
              connection.destroyed = true;
            },
          };
          resolve(connection);
          return connection;
        },
        fail: () => reject(new Error(`no ${address.text}`)),
      });
    });
  return { dial, dials };
}

describe('connectToFirst', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('the next address is tried after 250 ms, and the first connection that opens is used', async () => {
    const { dial, dials } = controlledDial();
    const connecting = connectToFirst([FIRST, SECOND, THIRD], 443, dial, new AbortController().signal);
    await jest.advanceTimersByTimeAsync(249);
    expect(dials.map(({ text }) => text)).toEqual([FIRST.text]);
    await jest.advanceTimersByTimeAsync(1);
    expect(dials.map(({ text }) => text)).toEqual([FIRST.text, SECOND.text]);
    dials[1]?.open();
    expect((await connecting).address).toBe(SECOND);
    expect(dials[0]?.signal.aborted).toBe(true);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(dials).toHaveLength(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('a connection that opens after the first one is closed', async () => {
    const { dial, dials } = controlledDial();
    const connecting = connectToFirst([FIRST, SECOND], 443, dial, new AbortController().signal);
    await jest.advanceTimersByTimeAsync(250);
    dials[0]?.open();
    await connecting;
    const late = dials[1]?.open();
    await jest.advanceTimersByTimeAsync(0);
    expect(late?.destroyed).toBe(true);
  });

  test('the next address is tried immediately after an address fails', async () => {
    const { dial, dials } = controlledDial();
    const connecting = connectToFirst([FIRST, SECOND], 443, dial, new AbortController().signal);
    dials[0]?.fail();
    await jest.advanceTimersByTimeAsync(0);
    dials[1]?.open();
    expect((await connecting).address).toBe(SECOND);
  });

  test('if all addresses fail, every failure is reported', async () => {
    const { dial, dials } = controlledDial();
    const connecting = connectToFirst([FIRST, SECOND], 443, dial, new AbortController().signal);
    const failed = expect(connecting).rejects.toMatchObject({
      failures: [new Error('no 8.8.8.1'), new Error('no 8.8.8.2')],
    });
    dials[0]?.fail();
    await jest.advanceTimersByTimeAsync(0);
    dials[1]?.fail();
    await failed;
    await expect(connecting).rejects.toBeInstanceOf(AllAddressesFailed);
  });

  test('IPv6 and IPv4 addresses are tried alternately, starting with IPv6', async () => {
    const { dial, dials } = controlledDial();
    const six = ['2a00::1', '2a00::2'].map((text) => parseIpAddress(text) as IpAddress);
    const stop = new AbortController();
    const connecting = connectToFirst([FIRST, SECOND, THIRD, ...six], 443, dial, stop.signal);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(dials.map(({ text }) => text)).toEqual(['2a00::1', '8.8.8.1', '2a00::2', '8.8.8.2', '8.8.8.3']);
    stop.abort(new Error('client gone'));
    await expect(connecting).rejects.toThrow('client gone');
    expect(dials.every(({ signal }) => signal.aborted)).toBe(true);
  });

  test('at most eight addresses are tried', async () => {
    const { dial, dials } = controlledDial();
    const many = Array.from({ length: 30 }, (_, index) => parseIpAddress(`8.8.4.${index}`) as IpAddress);
    const stop = new AbortController();
    const connecting = connectToFirst(many, 443, dial, stop.signal).catch(() => undefined);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(dials).toHaveLength(8);
    stop.abort();
    await connecting;
  });
});
