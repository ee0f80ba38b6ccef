/** How an action can affect more than the account itself. */
export type Effect = 'sends_data' | 'reveals_secret' | 'opens_data';

/**
 * The actions that can send data elsewhere, reveal a secret or open data to others, by their names in the audit. All have
 * the same requirements over the API, in the dashboard and with the CLI: a member needs a fresh code, and every owner gets
 * an email. `recordAudit` enforces both, so that no page or command can leave them out.
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

/** The effect of an action in the audit log; undefined for an action that affects only the account. */
export function effectOf(action: string, details: Readonly<Record<string, unknown>>): Effect | undefined {
  // Other changes of a destination, and fewer rights for a member, give no one more access.
  if (action === 'destination.changed') {
    const changed = String(details.changed).split(', ');
    if (!changed.includes('address') && !changed.includes('headers')) return undefined;
  }
  if (action === 'member.role_changed' && details.role !== 'owner') return undefined;
  return Object.hasOwn(EFFECTS, action) ? EFFECTS[action as EffectiveAction] : undefined;
}

/** Thrown if a member without a fresh code tries an action that has an effect. Nothing was done. */
export class FreshCodeRequired extends Error {
  override readonly name = 'FreshCodeRequired';
}
