import { setImmediate } from 'node:timers/promises';
import type { AccountId } from '@artist-watch/domain/ids';
import { expect, test } from '@jest/globals';
import { Admission } from './admission.js';
import type { PageContext } from './page-context.js';

test('all browsers of one person share one limit on concurrent requests', async () => {
  const admission = new Admission({
    personOf: (session) => session.replace(/\d+$/, ''),
    accountOfFeed: () => undefined,
  });
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const admitted: string[] = [];
  const admit = async (session: string) => {
    const context = {
      now: new Date(),
      isRead: true,
      browser: () => ({ clientAddress: '192.0.2.7', cookie: () => session }),
      ended: () => ended,
    };
    await admission.admit(context as unknown as PageContext, false);
    admitted.push(session);
  };
  const ann = Array.from({ length: 20 }, (_, browser) => admit(`ann@label.example${browser}`));
  await setImmediate();
  expect(admitted).toHaveLength(16);
  await admit('bob@label.example1');
  end();
  await Promise.all(ann);
  expect(admitted).toHaveLength(21);
});

test('the members of an account share one limit on concurrent requests, and other accounts do not wait', async () => {
  const admission = new Admission({ personOf: (session) => session, accountOfFeed: () => undefined });
  const admitted: string[] = [];
  const admit = async (accountId: string) => {
    const context = { ended: () => new Promise<void>(() => undefined) };
    await admission.admitMember(context as unknown as PageContext, accountId as AccountId);
    admitted.push(accountId);
  };
  for (let member = 0; member < 400; member += 1) admit('acc_1').catch(() => undefined);
  await setImmediate();
  expect(admitted).toHaveLength(32);
  await admit('acc_2');
});

test('the /64 networks of an IPv6 /48 together have the limits of eight networks, because one customer can own the whole /48', async () => {
  const admission = new Admission({ personOf: () => undefined, accountOfFeed: () => undefined });
  const sendForm = (clientAddress: string) => {
    const browser = () => ({ clientAddress, cookie: () => undefined });
    const context = { now: new Date(), path: '/sign-in', isRead: false, browser, ended: async () => undefined };
    return admission.admit(context as unknown as PageContext, true);
  };
  for (let sent = 0; sent < 8 * 120; sent += 1) await sendForm(`2001:db8:1:${sent.toString(16)}::1`);
  await expect(sendForm('2001:db8:1:ffff::1')).rejects.toThrow(expect.objectContaining({ code: 'rate_limited' }));
  await sendForm('2001:db8:2:1::1');
  for (let sent = 0; sent < 8 * 120 + 1; sent += 1) await sendForm(`198.18.${sent >> 8}.${sent & 255}`);
});

test('the feeds of an account share its limit on concurrent requests', async () => {
  const admission = new Admission({ personOf: () => undefined, accountOfFeed: () => 'acc_1' as AccountId });
  const admitted: string[] = [];
  for (let feed = 0; feed < 20; feed += 1) {
    const context = {
      ...{ now: new Date(), path: '/feed.atom', query: new URLSearchParams({ token: `feed_${feed}` }), isRead: true },
      browser: () => ({ clientAddress: `192.0.2.${feed}`, cookie: () => undefined }),
      ended: () => new Promise<void>(() => undefined),
    };
    const admit = admission.admit(context as unknown as PageContext, true);
    admit.then(() => admitted.push(context.path)).catch(() => undefined);
  }
  await setImmediate();
  expect(admitted).toHaveLength(16);
});

test('pages for guests start one at a time, but a page for a member starts immediately', async () => {
  const admission = new Admission({ personOf: (session) => session, accountOfFeed: () => undefined });
  const started: string[] = [];
  const open = (session?: string) => {
    const context = { path: '/', isRead: true, browser: () => ({ cookie: () => session }) };
    return admission.runPublic(context as unknown as PageContext, async () => {
      started.push(session ?? 'guest');
    });
  };
  const guests = Array.from({ length: 10 }, () => open());
  await open('ann@label.example');
  expect(started).toEqual(['ann@label.example']);
  await guests[0];
  expect(started).toHaveLength(2);
  await Promise.all(guests);
  expect(started).toHaveLength(11);
});
