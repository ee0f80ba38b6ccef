import { seedAccount } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { countBySpan } from '@artist-watch/persistence/change/feed-range';
import { expect, test } from '@jest/globals';
import { openStores, start } from './given.js';

const { pool } = await useSuite();
const { database } = await openStores();

test('what compares or counts many rows of an account waits for its turn', async () => {
  const { accountId } = await seedAccount(pool);
  let passOn = () => {};
  const held = database.turns.run(accountId, () => new Promise<void>((resolve) => (passOn = resolve)));
  const done: string[] = [];
  const asked = Object.entries({
    countBySpan: countBySpan(database, { accountId, starts: [start] }),
  }).map(([name, read]) => read.then(() => done.push(name)));
  // As many round trips as the reads would take without a turn.
  for (const _ of asked) await database.pool.query('SELECT 1');
  expect(done).toEqual([]);
  passOn();
  await Promise.all([held, ...asked]);
  expect(done.sort()).toEqual(['countBySpan']);
});
