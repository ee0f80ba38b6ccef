import { changeDetailSchema } from '@artist-watch/contracts/api/change';
import { makeDifference } from '@artist-watch/domain/change/difference';
import type { ChangeId } from '@artist-watch/domain/ids';
import { seedAccount, seedFeed, seedWatchedArtist, startApi } from '@artist-watch/harness/api-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import { describe, expect, test } from '@jest/globals';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const DAY_MS = 86_400_000;

const suite = await useSuite();
const { pool } = suite;
const clock = new TestClock('2026-05-31T12:00:00.000Z');
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal, { clock }));

async function accountWithChange({ ageMs = 0, plan = 'free' as 'free' | 'business' } = {}) {
  const account = await seedAccount(pool, plan);
  const artistId = await seedWatchedArtist(pool, account.accountId);
  const [id] = (await seedFeed(pool, account.accountId, artistId, [new Date(clock.now().getTime() - ageMs)])) as [
    ChangeId,
  ];
  return { ...account, artistId, id };
}

const difference = makeDifference({
  type: 'isrc_changed',
  entityId: '100001001',
  entityName: 'Night Drive',
  release: { platformId: '100001000', name: 'Night Drive (Deluxe)' },
  before: 'USRC17607839',
  after: 'USRC17607840',
});

async function observe(id: ChangeId, parts: { difference: object; notes?: readonly object[] }): Promise<void> {
  await pool.query(
    `UPDATE changes SET type = 'isrc_changed', entity_type = 'track', entity_id = '100001001', difference = $2,
            observations = $3, notes = $4, artist_name = 'Nina Vale (old name)' WHERE id = $1`,
    [
      id,
      JSON.stringify(parts.difference),
      JSON.stringify([
        {
          observedAt: '2026-05-31T11:30:00.000Z',
          paths: { listMissing: true, directRead: 'not_asked' },
          seen: 'USRC17607840',
          snapshotId: 'snp_1',
        },
      ]),
      JSON.stringify(parts.notes ?? []),
    ],
  );
}

describe('single changes', () => {
  test('an observed change has its old value, new value and evidence', async () => {
    const { key, artistId, id } = await accountWithChange();
    const held = { kind: 'held', at: '2026-05-31T11:40:00.000Z', by: 'fleet' };
    const released = { kind: 'released', at: '2026-05-31T11:50:00.000Z', by: 'mia', reason: 'ticket 42' };
    const facts = { label: 'Fernlight Records', upc: '4059990017296', tracks: [] };
    await observe(id, { difference: { ...difference, facts }, notes: [held, released] });
    const answer = await api.call(`/v1/changes/${id}`, { key });
    expect(answer.status).toBe(200);
    expect(changeDetailSchema.parse(answer.body)).toEqual({
      id,
      type: 'isrc_changed',
      severity: 'critical',
      artist_id: artistId,
      summary: 'The release "Night Drive" is no longer available.',
      confirmed_at: '2026-05-31T12:00:00.000Z',
      entity_type: 'track',
      entity_id: '100001001',
      entity_name: 'Night Drive',
      detected_at: '2026-05-31T11:30:00.000Z',
      artist_name: 'Nina Vale (old name)',
      platform_url: 'https://www.deezer.com/track/100001001',
      recorded_at: '2026-05-31T12:00:00.000Z',
      before: 'USRC17607839',
      after: 'USRC17607840',
      status: 'open',
      note: null,
      assignee: null,
      release_id: '100001000',
      release_name: 'Night Drive (Deluxe)',
      origin: 'observed',
      observations: [
        {
          observed_at: '2026-05-31T11:30:00.000Z',
          kind: 'counted',
          text: 'A full check showed “USRC17607840”.',
          readings: [{ read: 'list', said: 'changed' }],
          seen: 'USRC17607840',
        },
        {
          observed_at: '2026-05-31T11:40:00.000Z',
          kind: 'held',
          text: 'Too much was missing at once, so we waited for more checks over a longer time.',
          readings: [],
          seen: null,
        },
      ],
    });
    const list = await api.call('/v1/changes', { key });
    expect(list.body.data).toEqual([
      expect.objectContaining({
        id,
        artist_name: 'Nina Vale (old name)',
        before: 'USRC17607839',
        after: 'USRC17607840',
      }),
    ]);
    // Only letters and pages contain the release's facts.
    expect(JSON.stringify([answer.body, list.body])).not.toMatch(/facts|Fernlight|4059990017296/);
  });

  test('a change reported by another detector has no evidence', async () => {
    const { key, id } = await accountWithChange();
    const { body } = await api.call(`/v1/changes/${id}`, { key });
    expect(body).toMatchObject({ origin: 'reported', artist_name: 'Nina Vale', before: null, observations: [] });
  });

  test('a change is shown without values that a newer version stored in an unknown format', async () => {
    const { key, id } = await accountWithChange();
    await observe(id, { difference: { ...difference, type: 'mood_changed' } });
    const { status, body } = await api.call(`/v1/changes/${id}`, { key });
    expect({ status, body }).toMatchObject({ status: 200, body: { id, before: null, after: null, observations: [] } });
    expect((await api.call('/v1/changes', { key })).body.data).toHaveLength(1);
  });

  test("unknown changes, changes of other accounts and changes before the plan's history period get the same 404", async () => {
    const mine = await accountWithChange();
    const foreign = await accountWithChange({ plan: 'business' });
    const old = await accountWithChange({ ageMs: 7 * DAY_MS + 1 });
    const asked = [
      await api.call(`/v1/changes/${foreign.id}`, mine),
      await api.call(`/v1/changes/chg_${'0'.repeat(32)}`, mine),
      await api.call(`/v1/changes/${old.id}`, old),
      await api.call('/v1/changes/chg_1', mine),
    ];
    for (const { status, body } of asked) {
      expect({ status, body }).toEqual({
        status: 404,
        body: { error: { code: 'not_found', message: asked[0]?.body.error.message } },
      });
    }
    expect((await api.call(`/v1/changes/${foreign.id}`, foreign)).status).toBe(200);
  });
});
