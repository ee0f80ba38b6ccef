interface Identified {
  readonly platformId: string;
}

interface MemberList<Entity> {
  readonly members: readonly Entity[];
  /** Number of members without an id or any other data. */
  readonly unknown: number;
}

/**
 * Identifies members that were previously listed without an id.
 * @param removed ids of members that were removed, which are never returned
 * @returns the members identified now, oldest first, and the number that is still unknown
 */
export function revealedMembers<Entity extends Identified & { readonly releaseDate?: string | undefined }>(
  before: MemberList<Entity>,
  after: MemberList<Entity>,
  removed: ReadonlySet<string> = new Set(),
): { readonly revealed: readonly Entity[]; readonly unknown: number } {
  if (before.unknown === 0) return { revealed: [], unknown: 0 };
  const [known, seen] = [idsOf(before.members), idsOf(after.members)];
  const missing = before.members.filter(({ platformId }) => !seen.has(platformId)).length;
  const unknown = Math.min(before.unknown, Math.max(0, after.unknown - missing));
  const added = after.members.filter(({ platformId }) => !known.has(platformId) && !removed.has(platformId));
  const byAge = inIdOrder(added).sort((a, b) => ((a.releaseDate ?? '') < (b.releaseDate ?? '') ? -1 : 1));
  return { revealed: byAge.slice(0, before.unknown - unknown), unknown };
}

function idsOf(members: readonly Identified[]): ReadonlySet<string> {
  return new Set(members.map(({ platformId }) => platformId));
}

export interface Pairing<Entity> {
  readonly pairs: readonly (readonly [gone: Entity, added: Entity])[];
  readonly gone: readonly Entity[];
  readonly added: readonly Entity[];
}

/** Pairs entities with the same UPC or ISRC. The order of the lists does not matter. */
export function pairByMark<Entity extends Identified>(
  gone: readonly Entity[],
  added: readonly Entity[],
  getMark: (entity: Entity) => string | undefined,
): Pairing<Entity> {
  if (gone.length === 0 || added.length === 0) return { pairs: [], gone, added };

  const waiting = new Map<string, Entity[]>();
  for (const entity of inIdOrder(added)) {
    const mark = getMark(entity);
    if (mark === undefined) continue;
    const queue = waiting.get(mark);
    if (queue) queue.push(entity);
    else waiting.set(mark, [entity]);
  }

  const pairs: [Entity, Entity][] = [];
  const unpaired: Entity[] = [];
  const paired = new Set<Entity>();
  for (const entity of inIdOrder(gone)) {
    const mark = getMark(entity);
    const partner = mark === undefined ? undefined : waiting.get(mark)?.shift();
    if (partner === undefined) unpaired.push(entity);
    else {
      pairs.push([entity, partner]);
      paired.add(partner);
    }
  }
  return { pairs, gone: unpaired, added: added.filter((entity) => !paired.has(entity)) };
}

function inIdOrder<Entity extends Identified>(entities: readonly Entity[]): Entity[] {
  return [...entities].sort((a, b) => (a.platformId < b.platformId ? -1 : a.platformId > b.platformId ? 1 : 0));
}
