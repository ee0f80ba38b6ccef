import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Admission } from './admission.js';
import type { PageContext } from './page-context.js';

test('a person gets no more concurrent requests by using several browsers', async () => {
  const admission = new Admission({ personOf: (session) => session.replace(/\d+$/, ''), isFeed: () => false });
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

test('the /64 networks of an IPv6 /48 share the limits of eight networks, because one customer can own them all', async () => {
  const admission = new Admission({ personOf: () => undefined, isFeed: () => false });
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
