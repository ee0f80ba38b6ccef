import type { PlanName } from '@artist-watch/domain/account/plans';
import { seedAccount, seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { changeExports } from '@artist-watch/persistence/change/feed-store';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { GateFull } from '@artist-watch/runtime/gate';
import { expect, test } from '@jest/globals';

const suite = await useSuite();
const database = openDatabase({ url: suite.databaseUrl, applicationName: 'test' });
suite.onEnd(() => database.close());

test('exports of many small accounts leave slots for other accounts and do not block larger plans', async () => {
  const exports = changeExports(database);
  const opened: Array<{ end: () => Promise<unknown> }> = [];
  const given = async (plan: PlanName) => {
    const account = await seedAccount(suite.pool, plan);
    const artistId = await seedWatchedArtist(suite.pool, account.accountId);
    await seedFeed(suite.pool, account.accountId, artistId, [new Date()]);
    const request = {
      ...{ accountId: account.accountId, plan, since: new Date(0), filter: {} },
      sinceNow: async () => new Date(0),
    };
    /** Reads only the first page of an export. */
    return async () => {
      const pages = exports.pages(request);
      const began = await pages.next().then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(GateFull);
          return false;
        },
      );
      if (began) opened.push({ end: () => pages.return(undefined) });
      return began;
    };
  };
  const free = await Promise.all(Array.from({ length: 25 }, () => given('free')));
  const began: number[] = [];
  for (const open of free) began.push(Number(await open()) + Number(await open()));
  // Each account may have two exports while half of the ten slots are free, then one.
  expect(began.slice(0, 8)).toEqual([2, 2, 1, 1, 1, 1, 1, 1]);
  expect(began.reduce((sum, count) => sum + count)).toBe(10);

  const business = await given('business');
  expect([await business(), await business(), await business()]).toEqual([true, true, false]);
  await opened[0]?.end();
  expect(await (await given('free'))()).toBe(true);
  await Promise.all(opened.map(({ end }) => end()));
});
