/** The ways in which an action can affect more than the account itself. */
export type Effect = 'sends_data' | 'reveals_secret' | 'opens_data';

/**
 * Actions that send data elsewhere, reveal a secret or give others access, by their names in the audit log. All of them
 * have the same requirements in the API, the dashboard and the CLI: a member needs a fresh code, and every owner gets
 * an email. `recordAudit` enforces both, so no page or command can skip them.
 */
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

/** Returns the effect of an action in the audit log. Undefined if the action affects only the account. */
export function effectOf(action: string, details: Readonly<Record<string, unknown>>): Effect | undefined {
  // Other edits of a destination, and a lower role for a member, do not give anyone more access.
  if (action === 'destination.changed') {
    const changed = String(details.changed).split(', ');
    if (!changed.includes('address') && !changed.includes('headers')) return undefined;
  }
  if (action === 'member.role_changed' && details.role !== 'owner') return undefined;
  return Object.hasOwn(EFFECTS, action) ? EFFECTS[action as EffectiveAction] : undefined;
}

/**
 * Thrown if a member without a fresh code tries an action that sends data elsewhere, reveals a secret or gives others
 * access. The action is not executed.
 */
export class FreshCodeRequired extends Error {
  override readonly name = 'FreshCodeRequired';
}
