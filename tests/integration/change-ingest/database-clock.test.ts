import { startDatabaseClock } from '@artist-watch/change-ingest/adapters/database-clock';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { openTestDatabase } from './ingest-fixture.js';

const { databaseUrl, pool, onEnd } = await useSuite();
const database = openTestDatabase(databaseUrl);
onEnd(() => database.close());

test("the database clock follows PostgreSQL's time, whatever the clock of this machine shows", async () => {
  const stop = new AbortController();
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    static override now() {
      return RealDate.now() + 3_600_000;
    }
  } as DateConstructor;
  try {
    const clock = await startDatabaseClock(database, stop.signal, () => undefined);
    const before = clock.now();
    const { rows } = await pool.query<{ at: Date }>('SELECT clock_timestamp() AS at');
    const after = clock.now();
    // Half of the duration of the slowest query that the clock accepts.
    const slackMs = 500;
    expect(rows[0]?.at.getTime()).toBeGreaterThan(before.getTime() - slackMs);
    expect(rows[0]?.at.getTime()).toBeLessThan(after.getTime() + slackMs);
    stop.abort();
    await clock.done;
  } finally {
    globalThis.Date = RealDate;
  }
});
