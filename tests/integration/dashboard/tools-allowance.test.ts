import { compose as composeApi } from '@artist-watch/api/compose';
import { readConfig as readApiConfig } from '@artist-watch/api/config';
import { compose as composeDashboard } from '@artist-watch/dashboard/compose';
import { readConfig as readDashboardConfig } from '@artist-watch/dashboard/config';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { seedMember, startDashboard } from '@artist-watch/harness/dashboard-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { expect, test } from '@jest/globals';

const CALLS = 1_100;
/** As many calls may wait for the account's lock. */
const IN_FLIGHT = 90;

type Outcome = 'answered' | 'spent' | 'busy';

const suite = await useSuite();
const clock = new TestClock('2026-05-01T12:00:00.000Z');
const simulator = await startPlatformSimulator({ platform: 'deezer', seed: 'shared', artists: 2, budget: 'unlimited' });
suite.onEnd(() => simulator.stop());
const settings = { PLATFORM_URL: simulator.url, PLATFORM_BUDGET: '1000000' };
const [artist] = simulator.state.artists();
const [release] = simulator.state.releasesOf(artist?.id ?? '');
const [track] = simulator.state.tracksOf(release?.id ?? '');
const input = `https://www.deezer.com/track/${track?.id}`;

const api = () => startApi(suite, (env, signal) => composeApi(readApiConfig(env), signal, { clock }), settings);
const dashboard = () =>
  startDashboard(suite, (env, signal) => composeDashboard(readDashboardConfig(env), signal, { clock }), settings);
const apis = [await api(), await api()];
const dashboards = [await dashboard(), await dashboard()];

test('of 1,100 concurrent tool calls through the API and the dashboard, exactly the allowed 1,000 succeed', async () => {
  const { accountId, key } = await seedAccount(suite.pool);
  const member = await seedMember(suite.pool, accountId);
  await suite.pool.query('UPDATE sessions SET last_seen_at = $1', [clock.now()]);
  const ways: ReadonlyArray<() => Promise<Outcome>> = [
    ...apis.map((replica) => async () => {
      const { status, body } = await replica.call('/v1/tools/lookup', { method: 'POST', key, body: { input } });
      if (status === 200) return 'answered';
      if (body.error.code === 'daily_allowance_exceeded') return 'spent';
      return busy(`${status} ${body.error.code}`);
    }),
    ...dashboards.map((replica) => async () => {
      const path = `/a/${accountId}/tools/lookup`;
      const { status, text } = await replica.call(path, { cookie: member.cookie, form: { lookup: input } });
      if (status === 200 && text.includes(track?.isrc ?? 'no ISRC')) return 'answered';
      if (text.includes('tool calls for today (UTC)')) return 'spent';
      return busy(`${status} ${/<h1>[^<]*/.exec(text)}`);
    }),
  ];
  const outcomes: Outcome[] = [];
  const refused = new Map<string, number>();
  const busy = (answer: string): Outcome => {
    refused.set(answer, (refused.get(answer) ?? 0) + 1);
    return 'busy';
  };
  let left = CALLS;
  const caller = async (call: () => Promise<Outcome>) => {
    while (left > 0) {
      left -= 1;
      let outcome = await call();
      // A rejected call was not counted, because too many were waiting.
      while (outcome === 'busy') outcome = await call();
      outcomes.push(outcome);
    }
  };
  await Promise.all(ways.flatMap((way) => Array.from({ length: IN_FLIGHT }, () => caller(way))));

  const answered = outcomes.filter((outcome) => outcome === 'answered');
  expect({ answered: answered.length, refused }).toEqual({ answered: 1_000, refused });
  expect(outcomes).toHaveLength(CALLS);
  const used = (await apis[0]?.call('/v1/tools', { key }))?.body.allowance;
  expect(used).toMatchObject({ used: 1_000, remaining: 0 });
  const page = await dashboards[0]?.call(`/a/${accountId}/tools`, { cookie: member.cookie });
  expect(page?.text).toContain('1,000 of 1,000');
});

test("tool calls in the dashboard do not count toward the API's hourly limit, and invalid input costs nothing", async () => {
  const { accountId, key } = await seedAccount(suite.pool);
  const { cookie } = await seedMember(suite.pool, accountId);
  const remaining = async () => Number((await apis[0]?.call('/v1/tools', { key }))?.headers['x-ratelimit-remaining']);
  const call = (tool: string, text: string) =>
    dashboards[0]?.call(`/a/${accountId}/tools/${tool}`, { cookie, form: { [tool]: text } });
  const before = await remaining();
  const found = await call('reverse', ` ${track?.isrc?.toLowerCase()} `);
  expect([found?.status, found?.text]).toEqual([200, expect.stringContaining('1 of 1,000')]);
  for (const [tool, text, status, sentence] of [
    ['lookup', '<script>', 400, '&lt;script>'],
    ['reverse', 'no', 400, 'must be an ISRC'],
    ['lookup', 'https://www.deezer.com/track/99999999', 404, 'This track does not exist'],
  ] as const) {
    const answer = await call(tool, text);
    expect([answer?.status, answer?.text]).toEqual([status, expect.stringContaining(sentence)]);
  }
  expect((await call('lookup', 'x'))?.text).toContain('2 of 1,000');
  expect(await remaining()).toBe(before - 1);
});

test('below the Business plan, the tools page names the plan that has tools, and calls are rejected', async () => {
  const { accountId } = await seedAccount(suite.pool, 'pro');
  const { cookie } = await seedMember(suite.pool, accountId);
  const page = await dashboards[0]?.call(`/a/${accountId}/tools`, { cookie });
  expect([page?.status, page?.text]).toEqual([200, expect.stringContaining('come with the Business plan')]);
  const called = await dashboards[0]?.call(`/a/${accountId}/tools/lookup`, { cookie, form: { lookup: input } });
  expect(called?.status).toBe(403);
});
