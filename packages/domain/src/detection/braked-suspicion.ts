/** An operator's decision about a braked removal (docs/adr/0014). */
import type { ConfirmationSettings } from './confirmation.js';
import { provenPart, type Suspicion } from './suspicion.js';
import type { OperatorDecision } from './suspicion-note.js';

export type Release =
  /** The suspicion already satisfies its rule, so the operator's decision confirms it. */
  | {
      readonly kind: 'confirmed';
      readonly suspicion: Suspicion;
      readonly detectedAt: Date;
      readonly confirmedAt: Date;
    }
  /** The suspicion stays open until later observations confirm or dismiss it. */
  | { readonly kind: 'suspected'; readonly suspicion: Suspicion };

/**
 * Releases the brake on a suspicion. A removal with enough observations is confirmed at the time of the decision and
 * not earlier, because a feed sorted by confirmation time must not get new entries in the past.
 */
export function release(held: Suspicion, decision: OperatorDecision, settings: ConfirmationSettings): Release {
  const suspicion: Suspicion = { ...held, held: false, notes: [...held.notes, { kind: 'released', ...decision }] };
  const proven = provenPart(suspicion, settings);
  if (proven === null) return { kind: 'suspected', suspicion };
  const [first] = suspicion.observations;
  const last = suspicion.observations.at(-1) ?? first;
  const confirmedAt = new Date(Math.max(decision.at.getTime(), last.observedAt.getTime()));
  return { kind: 'confirmed', suspicion: proven, detectedAt: first.observedAt, confirmedAt };
}

/** Dismisses a braked suspicion. Its difference is ignored until it disappears. */
export function dismiss(held: Suspicion, decision: OperatorDecision): Suspicion {
  return { ...held, held: false, notes: [...held.notes, { kind: 'dismissed', ...decision }] };
}
