import { seedAccount } from '@artist-watch/harness/api-fixtures';
import { seedMember, seedSession, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { compose } from '../compose.js';
import { readConfig } from '../config.js';
import { allPages } from './all.js';
import type { PageParts } from './parts.js';

/** Whatever the path's parameters are: who has no right hears nothing of them. */
const table = allPages({} as PageParts).map(({ method, path, role, needsFreshCode }) => ({
  name: `${method} ${path}`,
  method,
  path: path.replaceAll(/:\w+/g, 'x'),
  role,
  needsFreshCode,
}));

test('every page and action: signed out, in another account and with a lower role', async () => {
  const suite = await useSuite();
  const dashboard = await startDashboard(suite, (env, signal) => compose(readConfig(env), signal));
  const { accountId } = await seedAccount(suite.pool);
  const other = await seedAccount(suite.pool);
  const owner = await seedMember(suite.pool, accountId);
  const member = await seedMember(suite.pool, accountId, { role: 'member' });
  const stranger = await seedMember(suite.pool, other.accountId);
  const stale = await seedSession(suite.pool, owner.email, { fresh: false });
  const missing = await dashboard.call('/a/acc_none/none', { cookie: owner.cookie });
  expect(missing.status).toBe(404);

  for (const { name, method, path, role, needsFreshCode } of table) {
    const call = (cookie: string) =>
      dashboard.call(`/a/${accountId}${path}`, { cookie, ...(method === 'POST' && { form: {} }) });
    const [signedOut, foreign, lower] = [await call(''), await call(stranger.cookie), await call(member.cookie)];
    expect([name, signedOut.status, signedOut.headers.location]).toEqual([
      name,
      303,
      expect.stringMatching(/^\/sign-in\?to=/),
    ]);
    expect([name, foreign.status, foreign.text]).toEqual([name, 404, missing.text]);
    if (role === 'owner') expect([name, lower.status, lower.text]).toEqual([name, 404, missing.text]);
    if (needsFreshCode) {
      const { status, headers } = await call(stale);
      expect([name, status, headers.location]).toEqual([name, 303, expect.stringContaining('/fresh-code?to=')]);
    }
  }
});
