interface Identified {
  readonly platformId: string;
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
