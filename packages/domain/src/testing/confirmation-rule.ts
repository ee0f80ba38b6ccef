import type { Advance, ConfirmationSettings } from '../detection/confirmation.js';
import type { Suspicion } from '../detection/suspicion.js';

export const CONFIRMATION_SETTINGS: ConfirmationSettings = {
  observations: 3,
  spanMs: 30 * 60_000,
  intervalMs: 15 * 60_000,
};

export function openAfter(suspicions: readonly Suspicion[], advance: Advance): Suspicion[] {
  const settled = new Set([...advance.confirmed, ...advance.dismissed].map(({ suspicion }) => suspicion.key));
  const grown = new Map([...advance.noted, ...advance.strengthened].map((suspicion) => [suspicion.key, suspicion]));
  const kept = suspicions.filter(({ key }) => !settled.has(key)).map((one) => grown.get(one.key) ?? one);
  return [...kept, ...advance.opened];
}
