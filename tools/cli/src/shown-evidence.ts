import type { JsonValue } from '@artist-watch/domain/change/difference';
import { type Evidence, evidenceOf } from '@artist-watch/domain/detection/evidence';
import { parseDifference, parseNotes, parseObservations } from '@artist-watch/domain/detection/suspicion';
import type { ShownChangeRecord } from '@artist-watch/persistence/change/change-reads';

/** What a change is about, and everything that led to it; for a change that another detector told, nothing of it. */
export function showEvidence(change: ShownChangeRecord): {
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly observations: readonly Readonly<Record<string, unknown>>[];
} {
  if (change.difference === null) return { before: null, after: null, observations: [] };
  const difference = parseDifference(change.difference);
  const observations = parseObservations(change.observations);
  const evidence = evidenceOf({ difference, observations, notes: parseNotes(change.notes) });
  const { before, after } = difference;
  return { before, after, observations: evidence.map(shownFirst) };
}

/** What a person wants to know stands first. */
function shownFirst({ observedAt, kind, text, ...rest }: Evidence) {
  return { observedAt: observedAt.toISOString(), kind, text, ...rest };
}
