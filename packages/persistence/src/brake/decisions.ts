import { webhookBody } from '@artist-watch/contracts/webhook-payload';
import type { Platform } from '@artist-watch/domain/catalogue';
import { changeValues } from '@artist-watch/domain/change/change-value';
import type { Difference } from '@artist-watch/domain/change/difference';
import { type BaselineState, parseBaseline, serialiseBaseline } from '@artist-watch/domain/detection/baseline';
import { applyConfirmed } from '@artist-watch/domain/detection/baseline-update';
import { dismiss, release } from '@artist-watch/domain/detection/brake';
import type { ConfirmationSettings } from '@artist-watch/domain/detection/confirmation';
import { parseSuspicion, type Suspicion } from '@artist-watch/domain/detection/suspicion';
import type { OperatorDecision } from '@artist-watch/domain/detection/suspicion-note';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { Conflict, NotFound } from '@artist-watch/domain/refusals';
import type pg from 'pg';
import { fanOutChanges } from '../change/change-fan-out.js';
import type { ChangeRecord, ShownChangeRecord } from '../change/change-reads.js';
import { inRetriedTransaction } from '../database/database-errors.js';
import { lockArtists } from '../polling/artist-rows.js';
import { writeBaselines, writeDigests } from '../polling/settlement-writes.js';

export type Decider = Omit<OperatorDecision, 'at'>;

export interface DecidedChange
  extends Pick<ChangeRecord, 'id' | 'artistId' | 'type' | 'entityId' | 'entityName' | 'confirmedAt'> {
  readonly state: 'suspected' | 'confirmed' | 'dismissed';
}

/**
 * Confirms the changes that have enough observations, and returns the others to `suspected`.
 * @throws NotFound, Conflict
 */
export function releaseHeld(
  pool: pg.Pool,
  scope: HeldScope,
  decider: Decider,
  settings: ConfirmationSettings,
): Promise<DecidedChange[]> {
  return decide(pool, scope, (held, at) => {
    const released = release(held, { at, ...decider }, settings);
    if (released.kind === 'suspected') return { state: 'suspected', suspicion: released.suspicion, confirmedAt: null };
    return { state: 'confirmed', suspicion: released.suspicion, confirmedAt: released.confirmedAt };
  });
}

/**
 * Dismisses changes. The difference is then ignored until an observation no longer shows it.
 * @throws NotFound, Conflict
 */
export function dismissHeld(pool: pg.Pool, scope: HeldScope, decider: Decider): Promise<DecidedChange[]> {
  return decide(pool, scope, (held, at) => ({
    state: 'dismissed',
    suspicion: dismiss(held, { at, ...decider }),
    confirmedAt: null,
  }));
}

interface Verdict {
  readonly state: DecidedChange['state'];
  readonly suspicion: Suspicion;
  readonly confirmedAt: Date | null;
}

const BATCH_ARTISTS = 100;

async function decide(
  pool: pg.Pool,
  scope: HeldScope,
  judge: (held: Suspicion, at: Date) => Verdict,
): Promise<DecidedChange[]> {
  await requireScope(pool, scope);
  const artistIds = await readArtistIds(pool, scope);
  const decided: DecidedChange[] = [];
  for (let first = 0; first < artistIds.length; first += BATCH_ARTISTS) {
    const batch = artistIds.slice(first, first + BATCH_ARTISTS);
    decided.push(...(await inRetriedTransaction(pool, (client) => decideBatch(client, scope, batch, judge))));
  }
  return decided;
}

async function readArtistIds(pool: pg.Pool, scope: HeldScope): Promise<ArtistId[]> {
  const { condition, id: scopeId } = scopeCondition(scope);
  const { rows } = await pool.query<{ id: ArtistId }>(
    `SELECT DISTINCT c.artist_id AS id FROM changes c WHERE c.state = 'held' AND ${condition} ORDER BY 1`,
    [scopeId],
  );
  return rows.map(({ id }) => id);
}

/** Decides while the artist is locked, because settlements change the same rows. */
async function decideBatch(
  client: pg.PoolClient,
  scope: HeldScope,
  artistIds: readonly ArtistId[],
  judge: (held: Suspicion, at: Date) => Verdict,
): Promise<DecidedChange[]> {
  await lockArtists(client, artistIds);
  const held = await readHeld(client, scope, artistIds);
  const verdicts = held.map((row) => ({ row, verdict: judge(parseSuspicion({ ...row, held: true }), row.now) }));
  await writeVerdicts(client, verdicts);
  const confirmed = verdicts.filter(({ verdict }) => verdict.state === 'confirmed');
  await applyToBaselines(client, confirmed);
  const [first] = confirmed;
  const confirmedIds = confirmed.map(({ row }) => row.id);
  if (first) await fanOutChanges(client, confirmedIds, first.row.now);
  const remaining = verdicts.filter(({ verdict }) => verdict.state !== 'dismissed').map(({ row }) => row.artistId);
  await scheduleNow(client, remaining);
  return verdicts.map(({ row, verdict: { state, confirmedAt } }) => {
    const { id, artistId, type, entityId, entityName } = row;
    return { id, artistId, type, entityId, entityName, state, confirmedAt };
  });
}

interface HeldRow extends Omit<ShownChangeRecord, 'state' | 'confirmedAt' | 'dismissedAt' | 'dismissedReason'> {
  readonly platform: Platform;
  readonly artistPlatformId: string;
  readonly artistName: string;
  readonly now: Date;
}

async function readHeld(
  client: pg.PoolClient,
  scope: HeldScope,
  artistIds: readonly ArtistId[],
): Promise<readonly HeldRow[]> {
  const { condition, id } = scopeCondition(scope);
  const { rows } = await client.query<HeldRow>(
    `SELECT c.id, c.artist_id AS "artistId", a.platform, a.platform_id AS "artistPlatformId", a.name AS "artistName", c.type,
            c.severity, c.entity_type AS "entityType", c.entity_id AS "entityId", c.entity_name AS "entityName",
            c.summary, c.detected_at AS "detectedAt", c.difference, c.observations, c.notes,
            date_trunc('milliseconds', clock_timestamp()) AS now
       FROM changes c JOIN artists a ON a.id = c.artist_id
      WHERE c.state = 'held' AND c.artist_id = ANY($2) AND ${condition}
      ORDER BY c.artist_id, c.id`,
    [id, artistIds],
  );
  return rows;
}

interface Judged {
  readonly row: HeldRow;
  readonly verdict: Verdict;
}

async function writeVerdicts(client: pg.PoolClient, judged: readonly Judged[]): Promise<void> {
  if (judged.length === 0) return;
  await client.query(
    `UPDATE changes SET state = w.state, confirmed_at = w.confirmed_at,
            recorded_at = CASE WHEN w.state = 'confirmed' THEN w.decided_at END, notes = w.notes, webhook_body = w.webhook_body,
            ignored = (w.state = 'dismissed'),
            dismissed_at = CASE WHEN w.state = 'dismissed' THEN w.decided_at END,
            dismissed_reason = CASE WHEN w.state = 'dismissed' THEN 'operator' END, artist_name = w.artist_name
       FROM unnest($1::text[], $2::change_state[], $3::timestamptz[], $4::jsonb[], $5::text[], $6::timestamptz[],
                   $7::text[])
              AS w (id, state, confirmed_at, notes, webhook_body, decided_at, artist_name)
      WHERE changes.id = w.id`,
    [
      judged.map(({ row }) => row.id),
      judged.map(({ verdict }) => verdict.state),
      judged.map(({ verdict }) => verdict.confirmedAt),
      judged.map(({ verdict }) => JSON.stringify(verdict.suspicion.notes)),
      judged.map(({ row, verdict }) => bodyIfConfirmed(row, verdict)),
      judged.map(({ row }) => row.now),
      judged.map(({ row }) => row.artistName),
    ],
  );
}

function bodyIfConfirmed(row: HeldRow, { state, confirmedAt, suspicion }: Verdict): string | null {
  if (state !== 'confirmed' || confirmedAt === null) return null;
  const { artistId: id, artistName: name, artistPlatformId: platformId } = row;
  return webhookBody({ ...row, artist: { id, name, platformId }, confirmedAt, ...changeValues(suspicion.difference) });
}

/** Updates the baselines, so that the next observations do not report the changes again. */
async function applyToBaselines(client: pg.PoolClient, confirmed: readonly Judged[]): Promise<void> {
  if (confirmed.length === 0) return;
  const differencesByArtist = new Map<ArtistId, Difference[]>();
  for (const { row, verdict } of confirmed) {
    const differences = differencesByArtist.get(row.artistId) ?? [];
    differencesByArtist.set(row.artistId, [...differences, verdict.suspicion.difference]);
  }
  const { rows } = await client.query<{ artistId: ArtistId; state: unknown; now: Date }>(
    'SELECT artist_id AS "artistId", state, now() AS now FROM baselines WHERE artist_id = ANY($1)',
    [[...differencesByArtist.keys()]],
  );
  const writes = rows.map(({ artistId, state, now }) => {
    const updated = (differencesByArtist.get(artistId) ?? []).reduce<BaselineState>(
      (baseline, difference) => applyConfirmed(baseline, difference, null),
      parseBaseline(state),
    );
    return { artistId, state: serialiseBaseline(updated), updatedAt: now };
  });
  await writeBaselines(client, writes);
  // An empty digest forces a comparison. If we kept the old digest, the next observation could match it and would then
  // not be compared.
  const digests = writes.map(({ artistId }) => ({ artistId, digest: Buffer.alloc(0) }));
  await writeDigests(client, digests);
}

/** Polls the artists immediately, because an operator is waiting. */
async function scheduleNow(client: pg.PoolClient, artistIds: readonly ArtistId[]): Promise<void> {
  if (artistIds.length === 0) return;
  await client.query(
    `UPDATE artists SET next_poll_at = least(next_poll_at, now())
      WHERE id = ANY($1) AND next_poll_at IS NOT NULL`,
    [artistIds],
  );
}

export interface HeldChange
  extends Pick<ChangeRecord, 'id' | 'artistId' | 'type' | 'entityType' | 'entityId' | 'entityName' | 'detectedAt'> {
  readonly artistPlatformId: string;
  readonly artistName: string;
  readonly observations: number;
  readonly lastObservedAt: Date;
  /** Null for changes that an earlier version put on hold. */
  readonly heldAt: Date | null;
  readonly heldBy: 'artist' | 'fleet' | null;
}

export type HeldScope =
  | { readonly kind: 'change'; readonly changeId: ChangeId }
  | { readonly kind: 'artist'; readonly artistId: ArtistId }
  | { readonly kind: 'all' };

/**
 * Sorted by artist, then oldest first.
 * @param after the last change of the previous page.
 */
export async function listHeldChanges(
  pool: pg.Pool,
  scope: HeldScope,
  page: { readonly after?: HeldChange; readonly limit: number },
): Promise<HeldChange[]> {
  const { condition, id } = scopeCondition(scope);
  const { rows } = await pool.query<HeldChange>(
    `SELECT c.id, c.artist_id AS "artistId", a.platform_id AS "artistPlatformId", a.name AS "artistName", c.type,
            c.entity_type AS "entityType", c.entity_id AS "entityId", c.entity_name AS "entityName",
            c.detected_at AS "detectedAt", jsonb_array_length(c.observations) AS observations,
            (c.observations -> -1 ->> 'observedAt')::timestamptz AS "lastObservedAt",
            (hold ->> 'at')::timestamptz AS "heldAt", hold ->> 'by' AS "heldBy"
       FROM changes c
       JOIN artists a ON a.id = c.artist_id
       LEFT JOIN LATERAL (SELECT note AS hold FROM jsonb_array_elements(c.notes) note
                           WHERE note ->> 'kind' = 'held' LIMIT 1) held ON true
      WHERE c.state = 'held' AND ${condition}
        AND ($2::text IS NULL OR (c.artist_id, c.id) > ($2, $3))
      ORDER BY c.artist_id, c.id
      LIMIT $4`,
    [id, page.after?.artistId ?? null, page.after?.id ?? null, page.limit],
  );
  return rows;
}

/** @throws NotFound for an unknown artist or change, Conflict for a change that is not on hold. */
export async function requireScope(pool: pg.Pool, scope: HeldScope): Promise<void> {
  switch (scope.kind) {
    case 'all':
      return;
    case 'artist': {
      const { rowCount } = await pool.query('SELECT FROM artists WHERE id = $1', [scope.artistId]);
      if (rowCount === 0) throw new NotFound('artist');
      return;
    }
    case 'change': {
      const { rows } = await pool.query<{ state: string }>('SELECT state FROM changes WHERE id = $1', [scope.changeId]);
      if (!rows[0]) throw new NotFound('change');
      if (rows[0].state !== 'held') throw new Conflict(`This change is not on hold. Its state is ${rows[0].state}.`);
      return;
    }
  }
}

function scopeCondition(scope: HeldScope): { readonly condition: string; readonly id: string | null } {
  switch (scope.kind) {
    case 'change':
      return { condition: 'c.id = $1', id: scope.changeId };
    case 'artist':
      return { condition: 'c.artist_id = $1', id: scope.artistId };
    case 'all':
      return { condition: '$1::text IS NULL', id: null };
  }
}
