/** Kinds of change, what they are about, and how grave they are (docs/reference/detection.md). */

export type EntityType = 'artist' | 'release' | 'track';

export type Severity = 'critical' | 'warning' | 'info';

/** Gravest first. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly Severity[];

export const ENTITY_TYPES = ['artist', 'release', 'track'] as const satisfies readonly EntityType[];

/**
 * How a difference becomes a confirmed change: `absence` is rule R (several observations over a span, by two paths),
 * `repetition` is two complete snapshots that agree.
 */
export type ConfirmationRule = 'absence' | 'repetition';

interface ChangeTypeFacts {
  readonly entityType: EntityType;
  readonly severity: Severity;
  readonly rule: ConfirmationRule;
  /** For a field of an entity that changed: the closest reading that it takes to see the field again. */
  readonly field?: 'artist' | 'release' | 'track';
}

/** The list may grow; receivers must accept types that they do not know. */
export const CHANGE_TYPES = {
  release_removed: { entityType: 'release', severity: 'critical', rule: 'absence' },
  track_removed: { entityType: 'track', severity: 'critical', rule: 'absence' },
  artist_removed: { entityType: 'artist', severity: 'critical', rule: 'absence' },
  artist_restored: { entityType: 'artist', severity: 'info', rule: 'repetition' },
  release_added: { entityType: 'release', severity: 'info', rule: 'repetition' },
  track_added: { entityType: 'track', severity: 'info', rule: 'repetition' },
  release_restored: { entityType: 'release', severity: 'info', rule: 'repetition' },
  release_replaced: { entityType: 'release', severity: 'warning', rule: 'absence' },
  release_title_changed: { entityType: 'release', severity: 'warning', rule: 'repetition', field: 'release' },
  track_title_changed: { entityType: 'track', severity: 'warning', rule: 'repetition', field: 'release' },
  release_date_changed: { entityType: 'release', severity: 'warning', rule: 'repetition', field: 'release' },
  artwork_changed: { entityType: 'release', severity: 'warning', rule: 'repetition', field: 'release' },
  label_changed: { entityType: 'release', severity: 'warning', rule: 'repetition', field: 'release' },
  upc_changed: { entityType: 'release', severity: 'warning', rule: 'repetition', field: 'release' },
  track_replaced: { entityType: 'track', severity: 'warning', rule: 'repetition' },
  credits_changed: { entityType: 'track', severity: 'warning', rule: 'repetition', field: 'track' },
  explicit_flag_changed: { entityType: 'track', severity: 'warning', rule: 'repetition', field: 'release' },
  artist_image_changed: { entityType: 'artist', severity: 'warning', rule: 'repetition', field: 'artist' },
  isrc_changed: { entityType: 'track', severity: 'critical', rule: 'repetition', field: 'release' },
  artist_name_changed: { entityType: 'artist', severity: 'critical', rule: 'repetition', field: 'artist' },
  availability_reduced: { entityType: 'release', severity: 'warning', rule: 'absence' },
  availability_expanded: { entityType: 'release', severity: 'info', rule: 'repetition' },
  followers_spike: { entityType: 'artist', severity: 'info', rule: 'repetition' },
  followers_drop: { entityType: 'artist', severity: 'warning', rule: 'repetition' },
} as const satisfies Record<string, ChangeTypeFacts>;

/** A type that our own detector emits. Ingested changes may carry others. */
export type DetectedChangeType = keyof typeof CHANGE_TYPES;

/** A type that says that one field of an entity has another value. */
export type FieldChangeType<Entity extends EntityType = EntityType> = {
  [Type in DetectedChangeType]: (typeof CHANGE_TYPES)[Type] extends { entityType: Entity; field: string }
    ? Type
    : never;
}[DetectedChangeType];

export function isFieldChange(type: DetectedChangeType): type is FieldChangeType {
  return 'field' in CHANGE_TYPES[type];
}

export function isDetectedChangeType(type: string): type is DetectedChangeType {
  return Object.hasOwn(CHANGE_TYPES, type);
}

/** The type that takes the fewest inserted, deleted and replaced characters to get to (Levenshtein). */
export function nearestChangeType(text: string): DetectedChangeType {
  const [nearest] = (Object.keys(CHANGE_TYPES) as DetectedChangeType[])
    .map((type) => ({ type, distance: editDistance(text, type) }))
    .sort((a, b) => a.distance - b.distance);
  return (nearest as { type: DetectedChangeType }).type;
}

function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, fromChar] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, toChar] of [...to].entries()) {
      const replaced = (previous[column] as number) + (fromChar === toChar ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] as number) + 1, (current[column] as number) + 1));
    }
    previous = current;
  }
  return previous.at(-1) as number;
}

/** 0 for the gravest, so that `rank(a) <= rank(b)` reads "a is at least as grave as b". */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
