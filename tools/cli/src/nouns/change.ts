import { type ChangeItem, changeValueItem } from '@artist-watch/contracts/api/change';
import { exportChunks, exportFormatSchema } from '@artist-watch/contracts/api/change-export';
import { type Evidence, toEvidence } from '@artist-watch/domain/detection/evidence';
import { parseDifference, parseNotes, parseObservations } from '@artist-watch/domain/detection/suspicion';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { type ChangeRecord, changeReads, type ShownChangeRecord } from '@artist-watch/persistence/change/change-reads';
import { changeExports } from '@artist-watch/persistence/change/feed-store';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addNoun } from '../noun.js';
import { instant, limit, oneOfOr, optional, pages, required } from '../option-values.js';
import { list, one } from '../print.js';
import { account, requireAccount } from './account.js';

const FILTERS = {
  since: optional('<instant>', 'confirmed at this time or later', instant),
  artist: optional<ArtistId>('<id>', 'art_…'),
  type: optional('<type>', 'change type, such as release_removed'),
};

export function changeCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'change', 'changes to artists');

  verb(
    'list',
    "list an account's confirmed changes, newest first",
    { account, limit, ...FILTERS },
    async ({ account: accountId, limit: max, since, artist: artistId, type }) => {
      const database = await cli.database();
      await requireAccount(database, accountId);
      const reads = changeReads(database);
      return list(
        pages(max, showChange, (last, pageLimit) => {
          const after = last && { confirmedAt: confirmationTime(last), changeId: last.id };
          return reads.list({ accountId, since, artistId, type, ...(after && { after }), limit: pageLimit });
        }),
      );
    },
  );

  verb(
    'export',
    "print an account's complete history of confirmed changes as a file",
    { account, format: oneOfOr('csv', '<format>', '', exportFormatSchema.options), ...FILTERS },
    async ({ account: accountId, format, since, artist: artistId, type }) => {
      const database = await cli.database();
      await requireAccount(database, accountId);
      const filter = { artistId, types: type === undefined ? undefined : [type] };
      const from = since ?? new Date(0);
      // Operators aren't bound by the history limit of the account's plan.
      const range = { accountId, since: from, filter, plan: 'business' as const, sinceNow: async () => from };
      const exported = changeExports(database).pages(range);
      return { kind: 'file', chunks: exportChunks(format, exported) };
    },
  );

  verb(
    'show',
    'show a change in any state, with all its observations',
    { id: required<ChangeId>('<id>', 'chg_…') },
    async ({ id }) => {
      const found = await changeReads(await cli.database()).show(id);
      return one({
        ...showChange(found),
        state: found.state,
        dismissed_at: found.dismissedAt?.toISOString() ?? null,
        dismissed_reason: found.dismissedReason,
        ...showEvidence(found),
      });
    },
  );
}

/** A database constraint guarantees that every change in a feed has a confirmation time. */
function confirmationTime({ id, confirmedAt }: ChangeRecord): Date {
  if (confirmedAt === null) throw new Error(`The change ${id} is in a feed but not confirmed.`);
  return confirmedAt;
}

/** Observations are empty if the change was reported by another detector. */
export function showEvidence(change: ShownChangeRecord): {
  readonly before: unknown;
  readonly after: unknown;
  readonly observations: readonly Readonly<Record<string, unknown>>[];
} {
  if (change.difference === null) {
    const { before = null, after = null } = change.reportedValues ?? {};
    return { before: changeValueItem(before), after: changeValueItem(after), observations: [] };
  }
  const difference = parseDifference(change.difference);
  const observations = parseObservations(change.observations);
  const evidence = toEvidence({ difference, observations, notes: parseNotes(change.notes) });
  const { before, after } = difference;
  return { before, after, observations: evidence.map(showObservation) };
}

function showObservation({ observedAt, kind, text, ...rest }: Evidence) {
  return { observedAt: observedAt.toISOString(), kind, text, ...rest };
}

type FieldsOfConfirmed =
  | ('confirmed_at' | 'recorded_at' | 'artist_name' | 'platform_url' | 'before' | 'after')
  | ('status' | 'note' | 'assignee');

export type ShownChange = Omit<ChangeItem, FieldsOfConfirmed> & { readonly confirmed_at: string | null };

export function showChange(change: ChangeRecord): ShownChange {
  return {
    id: change.id,
    type: change.type,
    severity: change.severity,
    artist_id: change.artistId,
    summary: change.summary,
    confirmed_at: change.confirmedAt?.toISOString() ?? null,
    entity_type: change.entityType,
    entity_id: change.entityId,
    entity_name: change.entityName,
    detected_at: change.detectedAt.toISOString(),
  };
}
