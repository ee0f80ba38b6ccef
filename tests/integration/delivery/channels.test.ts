import { deliveryReads } from '@artist-watch/delivery/store/reads';
import { readChatAddress } from '@artist-watch/domain/channel/destination-kind';
import { CHAT_SECRET, type ChatReceiver, startChatReceiver } from '@artist-watch/harness/chat-receivers';
import type { SeededDestination } from '@artist-watch/harness/delivery-fixtures';
import { type ScriptedProxy, startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { until } from '@artist-watch/harness/until';
import type { Database } from '@artist-watch/persistence/database/database';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DeliveryStack, startDeliveryStack } from './delivery-stack.js';

const DASHBOARD_URL = 'https://watch.label.test';
const KINDS = ['slack', 'discord'] as const;
type Kind = (typeof KINDS)[number];

let proxy: ScriptedProxy;
let stack: DeliveryStack;
const receivers = new Map<Kind, ChatReceiver>();

beforeAll(async () => {
  proxy = await startScriptedProxy();
  stack = await startDeliveryStack({ proxyUrls: [proxy.url] });
  for (const kind of KINDS) receivers.set(kind, await startChatReceiver(kind));
  await stack.startWorker({ DASHBOARD_URL, WEBHOOK_RETRY_DELAYS: '50ms,50ms,50ms,50ms,50ms' });
});

afterAll(async () => {
  for (const receiver of receivers.values()) await receiver.close();
  await proxy.close();
});

function receiverOf(kind: Kind): ChatReceiver {
  return receivers.get(kind) as ChatReceiver;
}

async function channel(kind: Kind): Promise<SeededDestination> {
  const { address } = receiverOf(kind);
  const parts = readChatAddress(kind, address);
  if (!parts) throw new Error(`${address} is not a URL of ${kind}.`);
  return stack.destination({ kind, url: parts.shownUrl, secret: parts.requestUrl });
}

/** Waits for the delivery of the change. */
async function deliver(
  destination: SeededDestination,
  names: { artist?: string; entity?: string; summary?: string } = {},
) {
  await stack.confirmChanges(destination, 1, bodyOf(destination, names));
  return settled(destination);
}

function bodyOf(destination: SeededDestination, names: { artist?: string; entity?: string; summary?: string } = {}) {
  return {
    event: 'change.confirmed',
    change_id: 'chg_00000000000000000000000000000001',
    artist_id: destination.artistId,
    artist: names.artist ?? 'Nina Vale',
    artist_platform_id: '1',
    entity_type: 'release',
    entity_id: '2',
    entity_name: names.entity ?? 'Night Drive',
    severity: 'critical',
    change_type: 'release_removed',
    summary: names.summary ?? 'It is gone.',
    detected_at: 1_777_000_000,
  };
}

function settled({ destinationId }: SeededDestination) {
  return until('the result of the delivery', async () => {
    const { rows } = await stack.pool.query<{
      state: string;
      attempt_count: number;
      errors: string[];
      reasons: string[];
    }>(
      `SELECT state, attempt_count,
              ARRAY(SELECT error FROM attempts WHERE delivery_id = d.id AND error IS NOT NULL ORDER BY number) AS errors,
              ARRAY(SELECT reason FROM attempts WHERE delivery_id = d.id AND error IS NOT NULL ORDER BY number) AS reasons
         FROM deliveries d WHERE destination_id = $1 ORDER BY id DESC LIMIT 1`,
      [destinationId],
    );
    return rows[0] && rows[0].state !== 'pending' && rows[0];
  });
}

async function runOf({ destinationId }: SeededDestination): Promise<number> {
  const { rows } = await stack.pool.query('SELECT consecutive_failures FROM destinations WHERE id = $1', [
    destinationId,
  ]);
  return rows[0].consecutive_failures;
}

describe.each(KINDS)('a %s destination', (kind) => {
  test('a chat channel gets a message in the documented format, without webhook headers', async () => {
    const receiver = receiverOf(kind);
    expect(await deliver(await channel(kind))).toMatchObject({ state: 'succeeded', attempt_count: 1, errors: [] });
    expect(receiver.shown.at(-1)).toContain('Release removed: Night Drive by Nina Vale');
    expect(receiver.shown.at(-1)).toContain('It is gone.');
    expect(Object.keys(receiver.requests.at(-1)?.headers ?? {}).filter((name) => name.startsWith('x-'))).toEqual([]);
  });

  test('links to the change if DASHBOARD_URL is set, and the delivery shows the same bytes', async () => {
    const destination = await channel(kind);
    await deliver(destination);
    const sent = receiverOf(kind).requests.at(-1)?.body.toString() ?? '';
    const { rows } = await stack.pool.query('SELECT id, change_id FROM deliveries WHERE destination_id = $1', [
      destination.destinationId,
    ]);
    expect(sent).toContain(`"url":"${DASHBOARD_URL}/a/${destination.accountId}/changes/${rows[0].change_id}"`);
    const shown = await deliveryReads({ pool: stack.pool } as Database, DASHBOARD_URL).show({ id: rows[0].id });
    expect(shown.request?.body).toBe(sent);
  });

  test.each([
    '<script>alert(1)</script>',
    '<!channel> <@U024BE7LH> <#C024BE7LR> &lt;!here&gt;',
    '@everyone @here <@&123456789012345678> <@!1> <:a:1>',
    '*bold* _it_ ~no~ `code` ||spoiler|| > quote # title - list [x](https://evil.example/) https://evil.example/',
    'abc\u202egnp.exe \u2066\u200b\ufeff\u0000\u001b[31m',
    'x'.repeat(500),
    '*&<`'.repeat(125),
  ])('a chat channel shows the name %j as text', async (name) => {
    const receiver = receiverOf(kind);
    const summary = `${name.slice(0, 450)} is gone. ${'&*'.repeat(250)}`.slice(0, 1_000);
    const destination = await channel(kind);
    expect(await deliver(destination, { artist: name, entity: name, summary })).toMatchObject({ state: 'succeeded' });
    const shown = receiver.shown.at(-1) ?? '';
    for (const never of '\u202e\u2066\u200b\ufeff\u0000\u001b') expect(shown).not.toContain(never);
    // The rest is the name itself, with joiners in URLs. No part of it had any effect.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are removed.
    const expected = name.replace(/[\u202e\u2066\u200b\ufeff]/g, '').replace(/[\u0000\u001b ]+/g, ' ');
    expect(shown.replaceAll('\u2060', '')).toContain(expected.slice(0, 100).trim());
  });

  test('a chat channel that requires a wait gets the same bytes after that time, as the first attempt', async () => {
    const receiver = receiverOf(kind);
    const destination = await channel(kind);
    const before = receiver.requests.length;
    receiver.answerNext({ status: 429, headers: { 'Retry-After': '1' }, body: '{"retry_after":1,"global":false}' }, 2);
    expect(await deliver(destination)).toMatchObject({ state: 'succeeded', attempt_count: 1, errors: [] });
    const [first, second, third] = receiver.requests.slice(before);
    expect(second?.body.equals(first?.body as Buffer)).toBe(true);
    expect(third?.body.equals(first?.body as Buffer)).toBe(true);
    expect((second?.receivedAt.getTime() ?? 0) - (first?.receivedAt.getTime() ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(await runOf(destination)).toBe(0);
  });

  test('a chat channel that requires a wait is paused without a counted failure, then gets every message exactly once', async () => {
    const receiver = receiverOf(kind);
    const destination = await channel(kind);
    const before = receiver.requests.length;
    const asked = { status: 429, headers: { 'Retry-After': '1' }, body: '{"retry_after":1,"global":false}' };
    receiver.answerNext(asked, 2);
    // The channel accepts this message, but so late that other deliveries become due.
    receiver.answerNext({ status: kind === 'slack' ? 200 : 204, delayMs: 400 }, 1);
    await stack.confirmChanges(destination, 6, bodyOf(destination));
    await receiver.waitFor(before + 3);
    await until('all deliveries to succeed', async () => {
      const { rows } = await stack.pool.query(
        `SELECT 1 FROM deliveries WHERE destination_id = $1 AND state = 'succeeded' AND attempt_count = 1`,
        [destination.destinationId],
      );
      return rows.length === 6;
    });
    const [, second, third, fourth, ...others] = receiver.requests.slice(before).map(({ receivedAt }) => +receivedAt);
    expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(990);
    // The fourth message arrives after the response to the third.
    expect((fourth ?? 0) - (third ?? 0)).toBeGreaterThanOrEqual(390);
    expect(others).toHaveLength(4);
    expect(await runOf(destination)).toBe(0);
  });

  test('a chat channel that was removed fails like a webhook, and its error says what to do', async () => {
    const receiver = receiverOf(kind);
    const gone =
      kind === 'slack'
        ? { status: 404, body: 'no_service' }
        : { status: 404, body: '{"code":10015,"message":"Unknown"}' };
    receiver.answerNext(gone, 6);
    const destination = await channel(kind);
    const failed = await deliver(destination);
    expect(failed).toMatchObject({ state: 'failed', attempt_count: 6, errors: Array(6).fill('address_revoked') });
    expect(failed.reasons[0]).toMatch(kind === 'slack' ? /removed in Slack/ : /deleted in Discord/);
    expect(await runOf(destination)).toBe(6);
  });

  test("an attempt fails if a chat channel's 429 response does not say how long to wait", async () => {
    receiverOf(kind).answerNext({ status: 429 }, 1);
    expect(await deliver(await channel(kind))).toMatchObject({ attempt_count: 2, errors: ['unexpected_status'] });
  });
});

test('the secret part of a channel URL is stored only in the encrypted column', async () => {
  await channel('slack');
  const { rows } = await stack.pool.query("SELECT d::text FROM destinations d WHERE kind <> 'webhook'");
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row.d).not.toContain(CHAT_SECRET);
  const attempts = await stack.pool.query('SELECT a::text FROM attempts a');
  for (const row of attempts.rows) expect(row.a).not.toContain(CHAT_SECRET);
});
