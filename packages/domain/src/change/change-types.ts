/** `expected` means that the change was intended. */
export const CHANGE_STATUSES = ['open', 'handled', 'expected'] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

export const STATUS_ACTIONS: Readonly<Record<ChangeStatus, string>> = {
  open: 'change.reopened',
  handled: 'change.handled',
  expected: 'change.expected',
};

export const MAX_NOTE_CHARS = 1_000;

export function editDistance(from: string, to: string): number {
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

/** See docs/reference/detection.md. */

export const ENTITY_TYPES = ['artist', 'release', 'track'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** Highest first. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** `absence` requires several observations over a minimum period, and `repetition` requires two in a row. */
export type ConfirmationRule = 'absence' | 'repetition';

export type ChangeValueKind =
  | 'nothing'
  | 'text'
  | 'date'
  | 'picture'
  | 'flag'
  | 'number'
  | 'credits'
  | 'markets'
  | 'release'
  | 'track';

interface ChangeTypeFacts {
  readonly entityType: EntityType;
  readonly severity: Severity;
  readonly rule: ConfirmationRule;
  readonly value: ChangeValueKind;
  /** The kind of entity that must be read again to see the changed field. */
  readonly field?: EntityType;
}

const changed = <const Entity extends EntityType, const Value extends ChangeValueKind, const Field extends EntityType>(
  entityType: Entity,
  value: Value,
  field: Field,
  severity: Severity = 'warning',
) => ({ entityType, severity, rule: 'repetition', value, field }) as const;

/** Receivers must accept unknown types, because new types may be added. */
export const CHANGE_TYPES = {
  release_removed: { entityType: 'release', severity: 'critical', rule: 'absence', value: 'release' },
  track_removed: { entityType: 'track', severity: 'critical', rule: 'absence', value: 'track' },
  artist_removed: { entityType: 'artist', severity: 'critical', rule: 'absence', value: 'nothing' },
  artist_merged: { entityType: 'artist', severity: 'critical', rule: 'absence', value: 'credits' },
  artist_restored: { entityType: 'artist', severity: 'info', rule: 'repetition', value: 'nothing' },
  release_added: { entityType: 'release', severity: 'info', rule: 'repetition', value: 'release' },
  track_added: { entityType: 'track', severity: 'info', rule: 'repetition', value: 'track' },
  release_restored: { entityType: 'release', severity: 'info', rule: 'repetition', value: 'release' },
  release_replaced: { entityType: 'release', severity: 'warning', rule: 'absence', value: 'release' },
  release_moved: { entityType: 'release', severity: 'critical', rule: 'absence', value: 'credits' },
  release_title_changed: changed('release', 'text', 'release'),
  track_title_changed: changed('track', 'text', 'release'),
  release_date_changed: changed('release', 'date', 'release'),
  artwork_changed: changed('release', 'picture', 'release'),
  label_changed: changed('release', 'text', 'release'),
  upc_changed: changed('release', 'text', 'release'),
  track_replaced: { entityType: 'track', severity: 'warning', rule: 'repetition', value: 'track' },
  credits_changed: changed('track', 'credits', 'track'),
  explicit_flag_changed: changed('track', 'flag', 'release'),
  artist_image_changed: changed('artist', 'picture', 'artist'),
  isrc_changed: changed('track', 'text', 'release', 'critical'),
  artist_name_changed: changed('artist', 'text', 'artist', 'critical'),
  availability_reduced: { entityType: 'release', severity: 'warning', rule: 'absence', value: 'markets' },
  availability_expanded: { entityType: 'release', severity: 'info', rule: 'repetition', value: 'markets' },
  followers_spike: { entityType: 'artist', severity: 'info', rule: 'repetition', value: 'number' },
  followers_drop: { entityType: 'artist', severity: 'warning', rule: 'repetition', value: 'number' },
} as const satisfies Record<string, ChangeTypeFacts>;

/** The types that our own detector reports. Other detectors can report other types. */
export type DetectedChangeType = keyof typeof CHANGE_TYPES;

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

/** For example "first missing" for a removal. */
export function firstObserved(type: string): 'first missing' | 'first noticed' {
  return isDetectedChangeType(type) && CHANGE_TYPES[type].rule === 'absence' ? 'first missing' : 'first noticed';
}

export function nearestChangeType(text: string): DetectedChangeType {
  const [nearest] = (Object.keys(CHANGE_TYPES) as DetectedChangeType[])
    .map((type) => ({ type, distance: editDistance(text, type) }))
    .sort((a, b) => a.distance - b.distance);
  return (nearest as { type: DetectedChangeType }).type;
}

/** 0 is the highest severity. */
export function severityRank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
