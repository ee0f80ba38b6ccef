/** What an operator makes of a removal that the brake holds (docs/adr/0014). */
import type { ConfirmationSettings } from './confirmation.js';
import { provenPart } from './proven-part.js';
import type { Suspicion } from './suspicion.js';
import type { OperatorDecision } from './suspicion-note.js';

export type Release =
  /** What was observed satisfies rule R: it is confirmed with the decision, not before it. */
  | {
      readonly kind: 'confirmed';
      readonly suspicion: Suspicion;
      readonly detectedAt: Date;
      readonly confirmedAt: Date;
    }
  /** It is confirmed, or dismissed, by what is observed from now on, as any other. */
  | { readonly kind: 'suspected'; readonly suspicion: Suspicion };

/**
 * The brake is released. A removal that has been observed often enough is confirmed at the time of the decision: it was held
 * until then, and a feed that is read by time of confirmation must not grow in the past.
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

/** It is not believed. The difference may last, and is ignored for as long as it does. */
export function dismiss(held: Suspicion, decision: OperatorDecision): Suspicion {
  return { ...held, held: false, notes: [...held.notes, { kind: 'dismissed', ...decision }] };
}
