/** See docs/adr/0014. */
import type { ConfirmationSettings } from './confirmation.js';
import { provenPart, type Suspicion } from './suspicion.js';
import type { OperatorDecision } from './suspicion-note.js';

export type Release =
  /** The suspicion already had enough evidence. */
  | {
      readonly kind: 'confirmed';
      readonly suspicion: Suspicion;
      readonly detectedAt: Date;
      readonly confirmedAt: Date;
    }
  | { readonly kind: 'suspected'; readonly suspicion: Suspicion };

/** Uses the time of the decision as the confirmation time, because changes must not be backdated in a feed. */
export function release(held: Suspicion, decision: OperatorDecision, settings: ConfirmationSettings): Release {
  const suspicion: Suspicion = { ...held, held: false, notes: [...held.notes, { kind: 'released', ...decision }] };
  const proven = provenPart(suspicion, settings);
  if (proven === null) return { kind: 'suspected', suspicion };
  const [first] = suspicion.observations;
  const last = suspicion.observations.at(-1) ?? first;
  const confirmedAt = new Date(Math.max(decision.at.getTime(), last.observedAt.getTime()));
  return { kind: 'confirmed', suspicion: proven, detectedAt: first.observedAt, confirmedAt };
}

/** After this, the difference is ignored until observations no longer show it. */
export function dismiss(held: Suspicion, decision: OperatorDecision): Suspicion {
  return { ...held, held: false, notes: [...held.notes, { kind: 'dismissed', ...decision }] };
}
