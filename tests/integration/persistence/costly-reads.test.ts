import { seedAccount } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { listAudit } from '@artist-watch/persistence/account/audit';
import { readUsageHistory } from '@artist-watch/persistence/account/usage-store';
import { artistReads } from '@artist-watch/persistence/artist/artist-reads';
import { readGroupableChanges } from '@artist-watch/persistence/change/feed-range';
import { expect, test } from '@jest/globals';
import { givenWatch, openStores, start } from './given.js';

const { pool } = await useSuite();
const { database } = await openStores();

test("an account's expensive reads run one at a time", async () => {
  const { accountId } = await seedAccount(pool);
  const watch = { accountId, artistId: await givenWatch(database, accountId) };
  const artists = artistReads(database);
  let passOn = () => {};
  const held = database.perAccount.run(accountId, () => new Promise<void>((resolve) => (passOn = resolve)));
  const done: string[] = [];
  const asked = Object.entries({
    readGroupableChanges: readGroupableChanges(database, { accountId, since: start }),
    listAudit: listAudit(database, { accountId, who: 'ann', limit: 50 }),
    releases: artists.releases(watch, { offset: 0, limit: 50 }),
    show: artists.show(watch, start, start),
    usageHistory: readUsageHistory(database, accountId, 90, start),
  }).map(([name, read]) => read.then(() => done.push(name)));
  // The reads would take as many round trips without waiting.
  for (const _ of asked) await database.pool.query('SELECT 1');
  expect(done).toEqual([]);
  passOn();
  await Promise.all([held, ...asked]);
  expect(done.sort()).toEqual(['listAudit', 'readGroupableChanges', 'releases', 'show', 'usageHistory']);
});

test('a page of the audit log compares 10,000 events with its filter, and later pages cover the rest', async () => {
  const { accountId } = await seedAccount(pool);
  await pool.query(
    `INSERT INTO audit_events (id, account_id, at, actor_kind, actor_name, action, subject_name)
     SELECT new_id('aud', $2::timestamptz - n * interval '1 second'), $1, $2, 'operator', 'operator', 'member.invited',
            CASE WHEN n IN (5, 10000, 10001, 20001) THEN 'Needle' ELSE 'Hay' END
       FROM generate_series(1, 20002) n`,
    [accountId, start],
  );
  const pages: number[] = [];
  const ids = new Set<string>();
  let next: Awaited<ReturnType<typeof listAudit>>['next'];
  do {
    const page = await listAudit(database, { accountId, before: next, who: 'needle', limit: 2 });
    pages.push(page.events.length);
    for (const { id } of page.events) ids.add(id);
    next = page.next;
  } while (next !== undefined);
  expect([pages, ids.size]).toEqual([[2, 1, 1], 4]);
});
