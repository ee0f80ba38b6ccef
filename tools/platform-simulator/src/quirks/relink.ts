/** The next one of the list: an entity that exists, but is not the one that was asked for. */
export function anotherOf<Entity extends { readonly id: string }>(entities: readonly Entity[], one: Entity): Entity {
  const at = entities.findIndex((entity) => entity.id === one.id);
  return entities[(at + 1) % entities.length] ?? one;
}
