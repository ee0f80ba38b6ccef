import { compose } from '@artist-watch/dashboard/compose';
import { readConfig } from '@artist-watch/dashboard/config';
import { seedAccount, seedFeed, seedWatchedArtist } from '@artist-watch/harness/api-fixtures';
import { seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { expect, test } from '@jest/globals';

const HOUR_MS = 3_600_000;

test.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])("a critical change is emailed even if the dashboard's clock is an hour %s", async (_which, byMs) => {
  const suite = await useSuite();
  const clock = { now: () => new Date(Date.now() + byMs) };
  const dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal, { clock }), {
    MAIL_GROUP_WAIT: '1s',
  });
  const { accountId } = await seedAccount(suite.pool);
  const { memberId } = await seedMember(suite.pool, accountId);
  const artistId = await seedWatchedArtist(suite.pool, accountId);
  await seedFeed(suite.pool, accountId, artistId, [new Date()]);
  const kinds = await until('the email to be queued', async () => {
    const { rows } = await suite.pool.query<{ kind: string }>('SELECT kind FROM mails WHERE member_id = $1', [
      memberId,
    ]);
    return rows.length > 0 && rows.map(({ kind }) => kind);
  });
  expect(kinds).toEqual(['critical_changes']);
  await dashboard.stop();
});
