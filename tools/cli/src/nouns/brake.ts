import { userInfo } from 'node:os';
import type { ArtistId, ChangeId } from '@artist-watch/domain/ids';
import {
  type DecidedChange,
  dismissHeld,
  type HeldChange,
  type HeldScope,
  listHeldChanges,
  releaseHeld,
  requireScope,
} from '@artist-watch/persistence/brake/decisions';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../failure.js';
import { addNoun, type ValuesOf } from '../noun.js';
import { flag, limit, optional, pages, textUpTo } from '../option-values.js';
import { list, one } from '../print.js';

const MAX_NAME_CHARS = 100;
const MAX_REASON_CHARS = 500;

const DECISION = {
  change: optional<ChangeId>('<id>', 'one change: chg_…'),
  artist: optional<ArtistId>('<id>', 'all changes of an artist: art_…'),
  all: flag('all changes on hold'),
  by: optional('<name>', 'name of the person who decides; default: the login name', textUpTo(MAX_NAME_CHARS)),
  reason: optional('<text>', 'reason, stored with each change', textUpTo(MAX_REASON_CHARS)),
};

type Decision = ValuesOf<typeof DECISION>;

export function brakeCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'brake', 'removals on hold, because many releases disappeared at once');

  verb(
    'list',
    'list the changes on hold, by artist',
    { artist: optional<ArtistId>('<id>', 'only this artist: art_…'), limit },
    async ({ artist: artistId, limit: max }) => {
      const { pool } = await cli.database();
      const scope: HeldScope = artistId === undefined ? { kind: 'all' } : { kind: 'artist', artistId };
      await requireScope(pool, scope);
      return list(
        pages<HeldChange>(max, showHeld, (last, pageLimit) =>
          listHeldChanges(pool, scope, { ...(last === undefined ? {} : { after: last }), limit: pageLimit }),
        ),
      );
    },
  );

  verb('release', 'take changes off hold; they are then confirmed or dismissed as usual', DECISION, async (options) => {
    const { pool } = await cli.database();
    const decided = await releaseHeld(pool, parseScope(options), parseDecider(options), cli.config.confirmation());
    const confirmed = decided.filter(({ state }) => state === 'confirmed').length;
    return one({ released: decided.length, confirmed, changes: decided.map(showDecided) });
  });

  const dismissal = 'dismiss the changes, and ignore them as long as the releases stay missing';
  verb('dismiss', dismissal, DECISION, async (options) => {
    const { pool } = await cli.database();
    const decided = await dismissHeld(pool, parseScope(options), parseDecider(options));
    return one({ dismissed: decided.length, changes: decided.map(showDecided) });
  });
}

function parseScope({ change: changeId, artist: artistId, all }: Decision): HeldScope {
  const scopes: HeldScope[] = [];
  if (changeId !== undefined) scopes.push({ kind: 'change', changeId });
  if (artistId !== undefined) scopes.push({ kind: 'artist', artistId });
  if (all) scopes.push({ kind: 'all' });
  const [scope] = scopes;
  if (scope === undefined || scopes.length > 1)
    throw new UsageError('Name the changes with one of --change, --artist and --all.');
  return scope;
}

function parseDecider({ by, reason }: Decision) {
  return { by: by ?? loginName(), reason: reason ?? null };
}

/** In a container, the user may not have a name. */
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
