import { gzipSync } from 'node:zlib';
import { seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { type NamedAccount, seedNamedAccount } from '@artist-watch/harness/named-account';
import { recordStatements } from '@artist-watch/harness/record-statements';
import { startRelay } from '@artist-watch/harness/relay';
import { useSuite } from '@artist-watch/harness/suite';
import { beforeAll, expect, test } from '@jest/globals';
import { compose } from '../compose.js';
import { readConfig } from '../config.js';
import { allPages } from './all.js';
import type { PageParts } from './parts.js';

const ROWS = 100;
const MAX = { statements: 6, html: 60_000, compressed: 12_000 };

const suite = await useSuite();
const statements = recordStatements();
const relay = await startRelay(suite.databaseUrl, statements.observe);
suite.onEnd(() => relay.close());
const dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal), {
  DATABASE_URL: relay.url,
});
/** These return a CSV file and a picture. */
const FILES = ['/changes/export', '/changes/:change/pictures/:side'];
const PATHS = allPages({} as PageParts).flatMap(({ method, path }) =>
  method === 'GET' && !FILES.includes(path) ? [path] : [],
);

let account: NamedAccount;
beforeAll(async () => {
  account = await seedNamedAccount(suite.pool, 'The Endless Engines');
  const { accountId, fill } = account;
  const changes: string[] = [];
  for (let number = 0; number < ROWS; number++) {
    const artist = await seedWatchedArtist(suite.pool, accountId, {
      ...{ name: `Artist ${number}`, platformId: String(100_000_000 + number) },
    });
    changes.push(...(await seedFeed(suite.pool, accountId, artist, [new Date(Date.now() - number * 600_000)])));
  }
  await suite.pool.query(
    `WITH delivery AS (
       INSERT INTO deliveries (id, account_id, destination_id, change_id, trigger, state, attempt_count, settled_at, created_at)
       SELECT new_id('dlv', now()), $1, $2, change, 'change', 'failed', 1, now(), now() FROM unnest($3::text[]) AS change
     )
     INSERT INTO audit_events (id, account_id, at, actor_kind, actor_id, actor_name, action, subject_id, subject_name)
     SELECT new_id('aud', now()), $1, now(), 'member', 'mem_1', 'mei@label.example', 'destination.created', 'dst_1', change
       FROM unnest($3::text[]) AS change`,
    [accountId, fill(':destination'), changes],
  );
});

test.each(PATHS)(
  'the page %s with 100 rows needs at most six SQL statements and has at most 60 kB, or 12 kB compressed',
  async (path) => {
    const { accountId, cookie, fill } = account;
    const costs: Array<{ statements: string[]; html: number; compressed: number }> = [];
    // Background loops also run statements during the measurement, so the test sends several requests and counts only
    // the cheapest one.
    for (let attempt = 0; attempt < 10; attempt++) {
      statements.take();
      const { status, headers, text } = await dashboard.call(`/a/${accountId}${fill(path)}`, { cookie });
      expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('html')]);
      costs.push({ statements: statements.take(), html: Buffer.byteLength(text), compressed: gzipSync(text).length });
    }
    const [least] = costs.sort((one, other) => one.statements.length - other.statements.length);
    expect(least?.statements.slice(MAX.statements)).toEqual([]);
    expect(least?.html).toBeLessThan(MAX.html);
    expect(least?.compressed).toBeLessThan(MAX.compressed);
  },
);
