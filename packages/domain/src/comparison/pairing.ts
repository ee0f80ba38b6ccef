interface Identified {
  readonly platformId: string;
}

interface MemberList<Entity> {
  readonly members: readonly Entity[];
  /** Members of which nothing is known, not even an id. */
  readonly unknown: number;
}

/**
 * What becomes of members of which nothing was known. As many of the ids that come are those of such members, and were there
 * before: all but those that are unknown still. A known member that is missing may be one of the unknown ones now.
 *
 * @param removed ids that are known to have gone: their return is none of it.
 * @returns the members that were there before, the oldest ones first, and how many are unknown still.
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
  const come = after.members.filter(({ platformId }) => !known.has(platformId) && !removed.has(platformId));
  const byAge = inIdOrder(come).sort((a, b) => ((a.releaseDate ?? '') < (b.releaseDate ?? '') ? -1 : 1));
  return { revealed: byAge.slice(0, before.unknown - unknown), unknown };
}

function idsOf(members: readonly Identified[]): ReadonlySet<string> {
  return new Set(members.map(({ platformId }) => platformId));
}

export interface Pairing<Entity> {
  readonly pairs: readonly (readonly [gone: Entity, come: Entity])[];
  readonly gone: readonly Entity[];
  readonly come: readonly Entity[];
}

/**
 * Pairs what is gone with what has come wherever both have the same mark (a UPC, an ISRC), one to one. Where several
 * have the same mark they are paired in the order of their ids, so neither the order of the lists nor the direction of
 * the comparison matters. An undefined mark pairs with nothing.
 */
export function pairByMark<Entity extends Identified>(
  gone: readonly Entity[],
  come: readonly Entity[],
  markOf: (entity: Entity) => string | undefined,
): Pairing<Entity> {
  if (gone.length === 0 || come.length === 0) return { pairs: [], gone, come };

  const waiting = new Map<string, Entity[]>();
  for (const entity of inIdOrder(come)) {
    const mark = markOf(entity);
    if (mark === undefined) continue;
    const queue = waiting.get(mark);
    if (queue) queue.push(entity);
    else waiting.set(mark, [entity]);
  }

  const pairs: [Entity, Entity][] = [];
  const unpaired: Entity[] = [];
  const taken = new Set<Entity>();
  for (const entity of inIdOrder(gone)) {
    const mark = markOf(entity);
    const partner = mark === undefined ? undefined : waiting.get(mark)?.shift();
    if (partner === undefined) unpaired.push(entity);
    else {
      pairs.push([entity, partner]);
      taken.add(partner);
    }
  }
  return { pairs, gone: unpaired, come: come.filter((entity) => !taken.has(entity)) };
}

function inIdOrder<Entity extends Identified>(entities: readonly Entity[]): Entity[] {
  return [...entities].sort((a, b) => (a.platformId < b.platformId ? -1 : a.platformId > b.platformId ? 1 : 0));
}
