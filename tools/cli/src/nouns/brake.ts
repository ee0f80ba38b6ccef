import { userInfo } from 'node:os';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import { type DecidedChange, dismissHeld, releaseHeld } from '@artist-watch/persistence/brake/decisions';
import {
  type HeldChange,
  type HeldScope,
  listHeldChanges,
  requireScope,
} from '@artist-watch/persistence/brake/held-changes';
import type { Command, Option } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { nounOf } from '../noun.js';
import { limitOption, optional, pages, textUpTo } from '../option-values.js';
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
  const verb = nounOf(program, cli, 'brake', 'removals that are held because too much vanished at once');

  verb('list', 'what is held, artist by artist', [
    optional('--artist <id>', 'only of this one: art_…'),
    limitOption(),
  ]).run(async ({ artist: artistId, limit }: { artist?: ArtistId; limit?: number }) => {
    const { pool } = await cli.database();
    const scope: HeldScope = artistId === undefined ? { kind: 'all' } : { kind: 'artist', artistId };
    await requireScope(pool, scope);
    return list(
      pages<HeldChange>(limit, showHeld, (last, pageLimit) =>
        listHeldChanges(pool, scope, { ...(last === undefined ? {} : { after: last }), limit: pageLimit }),
      ),
    );
  });

  verb('release', 'believe them as any other: rule R confirms or dismisses them', decisionOptions()).run(
    async (options: DecisionOptions) => {
      const { pool } = await cli.database();
      const decided = await releaseHeld(pool, scopeOf(options), deciderOf(options), cli.config.confirmation());
      const confirmed = decided.filter(({ state }) => state === 'confirmed').length;
      return one({ released: decided.length, confirmed, changes: decided.map(showDecided) });
    },
  );

  verb('dismiss', 'do not believe them, nor suspect them again for as long as they stand', decisionOptions()).run(
    async (options: DecisionOptions) => {
      const { pool } = await cli.database();
      const decided = await dismissHeld(pool, scopeOf(options), deciderOf(options));
      return one({ dismissed: decided.length, changes: decided.map(showDecided) });
    },
  );
}

function decisionOptions(): Option[] {
  return [
    optional('--change <id>', 'this one: chg_…'),
    optional('--artist <id>', 'or all of this artist: art_…'),
    optional('--all', 'or everything that is held'),
    optional('--by <name>', 'who decides; the name of who is logged in unless given', textUpTo(MAX_NAME_CHARS)),
    optional('--reason <text>', 'why; kept with each change', textUpTo(MAX_REASON_CHARS)),
  ];
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
