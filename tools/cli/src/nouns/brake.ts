import { userInfo } from 'node:os';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { type DecidedChange, dismissHeld, releaseHeld } from '@artist-watch/persistence/brake/decisions';
import {
  type HeldChange,
  type HeldScope,
  listHeldChanges,
  requireScope,
} from '@artist-watch/persistence/brake/held-changes';
import type { Command } from 'commander';
import { act } from '../act.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { limitOption, pages, textUpTo } from '../option-values.js';
import { list, one } from '../print.js';

interface ScopeOptions {
  readonly change?: ChangeId;
  readonly artist?: ArtistId;
  readonly all?: boolean;
}

interface DecisionOptions extends ScopeOptions {
  readonly by?: string;
  readonly reason?: string;
}

const MAX_NAME_CHARS = 100;
const MAX_REASON_CHARS = 500;

export function brakeCommands(program: Command, cli: Cli): void {
  const brake = program.command('brake').description('removals that are held because too much vanished at once');

  brake
    .command('list')
    .description('what is held, artist by artist')
    .option('--artist <id>', 'only of this one: art_…')
    .addOption(limitOption())
    .action(
      act<{ artist?: ArtistId; limit?: number }>(cli, async ({ artist: artistId, limit }) => {
        const { pool } = await cli.database();
        const scope: HeldScope = artistId === undefined ? { kind: 'all' } : { kind: 'artist', artistId };
        await requireScope(pool, scope);
        return list(
          pages<HeldChange>(limit, showHeld, (last, pageLimit) =>
            listHeldChanges(pool, scope, { ...(last === undefined ? {} : { after: last }), limit: pageLimit }),
          ),
        );
      }),
    );

  decisionCommand(brake, 'release', 'believe them as any other: rule R confirms or dismisses them').action(
    act<DecisionOptions>(cli, async (options) => {
      const { pool } = await cli.database();
      const decided = await releaseHeld(pool, scopeOf(options), deciderOf(options), cli.config.confirmation());
      const confirmed = decided.filter(({ state }) => state === 'confirmed').length;
      return one({ released: decided.length, confirmed, changes: decided.map(showDecided) });
    }),
  );

  decisionCommand(brake, 'dismiss', 'do not believe them, nor suspect them again for as long as they stand').action(
    act<DecisionOptions>(cli, async (options) => {
      const { pool } = await cli.database();
      const decided = await dismissHeld(pool, scopeOf(options), deciderOf(options));
      return one({ dismissed: decided.length, changes: decided.map(showDecided) });
    }),
  );
}

function decisionCommand(brake: Command, verb: string, description: string): Command {
  return brake
    .command(verb)
    .description(description)
    .option('--change <id>', 'this one: chg_…')
    .option('--artist <id>', 'or all of this artist: art_…')
    .option('--all', 'or everything that is held')
    .option('--by <name>', 'who decides; the name of who is logged in unless given', textUpTo(MAX_NAME_CHARS))
    .option('--reason <text>', 'why; kept with each change', textUpTo(MAX_REASON_CHARS));
}

function scopeOf({ change: changeId, artist: artistId, all }: ScopeOptions): HeldScope {
  const scopes: HeldScope[] = [];
  if (changeId !== undefined) scopes.push({ kind: 'change', changeId });
  if (artistId !== undefined) scopes.push({ kind: 'artist', artistId });
  if (all === true) scopes.push({ kind: 'all' });
  const [scope] = scopes;
  if (scope === undefined || scopes.length > 1)
    throw new UsageError('Say which, by one of --change, --artist and --all.');
  return scope;
}

function deciderOf({ by, reason }: DecisionOptions) {
  return { by: by ?? loginName(), reason: reason ?? null };
}

/** A container may run as a user that has no name. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'an operator';
  }
}

function showHeld(held: HeldChange) {
  return {
    id: held.id,
    type: held.type,
    artist_id: held.artistId,
    artist: held.artistName,
    artist_platform_id: held.artistPlatformId,
    entity_type: held.entityType,
    entity_id: held.entityId,
    entity_name: held.entityName,
    detected_at: held.detectedAt.toISOString(),
    last_observed_at: held.lastObservedAt.toISOString(),
    observations: held.observations,
    held_at: held.heldAt?.toISOString() ?? null,
    held_by: held.heldBy,
  };
}

function showDecided({ id, artistId, type, entityId, entityName, state, confirmedAt }: DecidedChange) {
  return {
    id,
    type,
    artist_id: artistId,
    entity_id: entityId,
    entity_name: entityName,
    state,
    confirmed_at: confirmedAt?.toISOString() ?? null,
  };
}
