import { setTimeout as pause } from 'node:timers/promises';
import { seedAccount, startApi } from '@artist-watch/harness/api-fixtures';
import { CHAT_SECRET } from '@artist-watch/harness/chat-receivers';
import { useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { accountStore } from '@artist-watch/persistence/account/store';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const database = openDatabase({ url: suite.databaseUrl, poolSize: 1, applicationName: 'test' });
suite.onEnd(() => database.close());
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));

const SLACK = `https://hooks.slack.com/services/T0AAA/B0BBB/${CHAT_SECRET}`;
const DISCORD = `https://discord.com/api/webhooks/12/${CHAT_SECRET}`;

async function account(plan: Parameters<typeof seedAccount>[1]) {
  const { key, accountId } = await seedAccount(pool, plan);
  const call = (method: string, path: string, body?: unknown) =>
    api.call(`/v1${path}`, { method, key, ...(body !== undefined && { body }) });
  return { accountId, call };
}

describe('Slack and Discord channels', () => {
  test.each(['starter', 'business'] as const)(
    'a channel can be created only if the request specifies its kind, as the error explains: %s',
    async (plan) => {
      const { call } = await account(plan);
      for (const [kind, url] of Object.entries({ slack: SLACK, discord: DISCORD })) {
        const answer = await call('POST', '/destinations', { url });
        expect(answer).toMatchObject({ status: 400, body: { error: { errors: [{ param: 'kind' }] } } });
        expect(answer.body.error.message).toMatch(new RegExp(`^kind must be "${kind}", because`));
        expect(answer.text).not.toContain(CHAT_SECRET);
      }
      expect((await call('GET', '/destinations')).body.data ?? []).toEqual([]);
    },
  );

  test('a channel cannot be created by changing the URL of a webhook', async () => {
    const { call } = await account('business');
    const { id } = (await call('POST', '/destinations', { url: 'https://receiver.example/' })).body;
    const answer = await call('PATCH', `/destinations/${id}`, { url: SLACK });
    expect(answer).toMatchObject({ status: 400, body: { error: { errors: [{ param: 'url' }] } } });
    expect(answer.body.error.message).toContain('kind "slack"');
  });

  test('a channel can be created on every plan from Starter up, and the secret part of its URL is never returned', async () => {
    const { call } = await account('starter');
    const made = await call('POST', '/destinations', {
      kind: 'slack',
      url: SLACK,
      rules: { min_severity: 'critical' },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { kind: 'slack', url: 'https://hooks.slack.com/services/T0AAA/B0BBB/…', signed: false, secret: null },
    });
    const { id } = made.body;
    const { body: changed } = await call('PATCH', `/destinations/${id}`, { url: SLACK.replace('B0BBB', 'B0CCC') });
    expect(changed.url).toBe('https://hooks.slack.com/services/T0AAA/B0CCC/…');
    const tested = await call('POST', `/destinations/${id}/test`, { wait_seconds: 0 });
    expect(JSON.parse(tested.body.request.body).blocks[0].text.text).toContain(
      '“Sample Release” by Sample Artist was added to',
    );
    const answers = [
      made,
      tested,
      await call('GET', '/destinations'),
      await call('GET', `/destinations/${id}`),
      await call('POST', `/destinations/${id}/disable`),
      await call('POST', `/destinations/${id}/enable`),
      await call('GET', '/deliveries'),
      await call('GET', `/deliveries/${tested.body.id}`),
    ];
    for (const answer of answers) {
      expect(answer.status).toBeLessThan(300);
      expect(answer.text).not.toContain(CHAT_SECRET);
    }
    const { rows } = await pool.query('SELECT d::text FROM destinations d WHERE id = $1', [id]);
    expect(rows[0].d).not.toContain(CHAT_SECRET);
  });

  test('a channel is rejected with a 400 if its URL is not an incoming webhook, or if it has a signing secret', async () => {
    const { call } = await account('business');
    for (const body of [
      { kind: 'slack', url: DISCORD },
      { kind: 'discord', url: SLACK },
      { kind: 'slack', url: `https://evil.example/services/T0AAA/B0BBB/${CHAT_SECRET}` },
      { kind: 'slack', url: `http://127.0.0.2/services/T0AAA/B0BBB/${CHAT_SECRET}` },
      { kind: 'slack', url: `http://hooks.slack.com/services/T0AAA/B0BBB/${CHAT_SECRET}` },
      { kind: 'slack', url: SLACK, secret: 'a secret of my own choosing' },
      { kind: 'slack', url: SLACK, standard_webhooks: true },
      { kind: 'slack', url: SLACK, headers: [{ name: 'X-Api-Key', value: 'x' }] },
      { kind: 'teams', url: SLACK },
    ]) {
      const answer = await call('POST', '/destinations', body);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
      expect(answer.text).not.toContain(CHAT_SECRET);
    }
  });

  test('Free allows no channels, and Starter allows one channel but no webhooks', async () => {
    const refused = { status: 403, body: { error: { code: 'plan_required' } } };
    const free = await account('free');
    expect(await free.call('POST', '/destinations', { kind: 'slack', url: SLACK })).toMatchObject(refused);
    const { call } = await account('starter');
    expect(await call('POST', '/destinations', { kind: 'discord', url: DISCORD })).toMatchObject({ status: 201 });
    expect(await call('POST', '/destinations', { kind: 'slack', url: SLACK })).toMatchObject({
      status: 403,
      body: { error: { code: 'plan_limit_reached' } },
    });
    for (const body of [{ url: 'https://receiver.example/' }, { kind: 'webhook', url: 'https://receiver.example/' }]) {
      expect(await call('POST', '/destinations', body)).toMatchObject(refused);
    }
  });

  test('the error message says which plans include webhooks and which include channels', async () => {
    const message = 'Webhooks require the Business plan. Slack and Discord require the Starter plan or higher.';
    const refused = { status: 403, body: { error: { code: 'plan_required', message } } };
    for (const plan of ['free', 'starter'] as const) {
      const { call } = await account(plan);
      for (const path of ['/destinations', '/deliveries']) expect(await call('GET', path)).toMatchObject(refused);
      if (plan === 'starter') await call('POST', '/destinations', { kind: 'slack', url: SLACK });
      const kinds = [{ url: 'https://receiver.example/' }, ...(plan === 'free' ? [{ kind: 'slack', url: SLACK }] : [])];
      for (const body of kinds) expect(await call('POST', '/destinations', body)).toMatchObject(refused);
    }
  });

  test('a channel can be created even if the webhook limit has been reached', async () => {
    const { call } = await account('business');
    for (let count = 0; count < 10; count += 1) {
      const url = 'https://receiver.example/';
      expect(await call('POST', '/destinations', { url })).toMatchObject({ status: 201, body: { kind: 'webhook' } });
    }
    expect(await call('POST', '/destinations', { kind: 'discord', url: DISCORD })).toMatchObject({ status: 201 });
  });

  test('a channel cannot have Standard Webhooks headers (409)', async () => {
    const { call } = await account('pro');
    const { id } = (await call('POST', '/destinations', { kind: 'slack', url: SLACK })).body;
    expect(await call('PATCH', `/destinations/${id}`, { standard_webhooks: true })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
  });

  test('a channel has no signing secret to rotate (409)', async () => {
    const { call } = await account('pro');
    const { id } = (await call('POST', '/destinations', { kind: 'slack', url: SLACK })).body;
    expect(await call('POST', `/destinations/${id}/rotate-secret`)).toMatchObject({ status: 409 });
    expect(await call('POST', `/destinations/${id}/activate-secret`)).toMatchObject({ status: 409 });
  });
});

test('a downgrade pauses the destinations that the new plan does not include, and all other destinations keep working', async () => {
  const { accountId, call } = await account('business');
  const webhook = (await call('POST', '/destinations', { url: 'https://receiver.example/' })).body;
  const channel = (await call('POST', '/destinations', { kind: 'slack', url: SLACK })).body;
  const onPlan = async (plan: 'starter' | 'free') => {
    await accountStore(database).setPlan({ id: accountId, plan, now: new Date() });
    await until('the limits of the new plan', async () => {
      // A Free account may send only 60 requests an hour.
      await pause(250);
      return (await call('GET', '/usage')).body.plan === plan;
    });
  };
  await onPlan('starter');
  expect((await call('GET', '/destinations')).body.data).toMatchObject([
    { id: channel.id, paused_by_plan: false },
    { id: webhook.id, paused_by_plan: true },
  ]);
  expect(await call('PATCH', `/destinations/${channel.id}`, { rules: {} })).toMatchObject({ status: 200 });
  const refused = { status: 403, body: { error: { code: 'plan_required' } } };
  for (const action of ['enable', 'disable', 'test', 'rotate-secret']) {
    expect(await call('POST', `/destinations/${webhook.id}/${action}`)).toMatchObject(refused);
  }
  expect(await call('PATCH', `/destinations/${webhook.id}`, { rules: {} })).toMatchObject(refused);
  await onPlan('free');
  expect((await call('GET', '/destinations')).body.data).toMatchObject([
    { notices: [{ kind: 'paused_by_plan', message: 'The Free plan does not include Slack and Discord destinations' }] },
    { notices: [{ kind: 'paused_by_plan', message: 'The Starter plan does not include webhook destinations' }] },
  ]);
  expect(await call('DELETE', `/destinations/${channel.id}`)).toMatchObject({ status: 204 });
});
