export type Effect = 'sends_data' | 'reveals_secret' | 'opens_data';

/** Actions that require a recently entered code and send an email to every owner. `recordAudit` enforces this. */
const EFFECTS = {
  'api_key.created': 'reveals_secret',
  'change.shared': 'opens_data',
  'destination.changed': 'sends_data',
  'destination.created': 'sends_data',
  'destination.secret_rotated': 'reveals_secret',
  'feed.created': 'opens_data',
  'member.invited': 'opens_data',
  'member.role_changed': 'opens_data',
} as const satisfies Record<string, Effect>;

export type EffectiveAction = keyof typeof EFFECTS;

/** Returns undefined if the action affects only the account. */
export function effectOf(action: string, details: Readonly<Record<string, unknown>>): Effect | undefined {
  // A destination change matters only if it sets a new URL or new headers. A role change matters only if the new role is
  // `owner`.
  if (action === 'destination.changed') {
    const changed = String(details.changed).split(', ');
    if (!changed.includes('address') && !changed.includes('headers')) return undefined;
  }
  if (action === 'member.role_changed' && details.role !== 'owner') return undefined;
  return Object.hasOwn(EFFECTS, action) ? EFFECTS[action as EffectiveAction] : undefined;
}

/** Thrown if the action requires a code, but the member has not entered one recently. */
export class FreshCodeRequired extends Error {
  override readonly name = 'FreshCodeRequired';
}
