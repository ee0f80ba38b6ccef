import { maskCredentials } from '@artist-watch/runtime/settings/mask-credentials';
import { connectionTrouble } from '@artist-watch/runtime/settings/start-failure';

/** Why something did not answer, in a few words without credentials. */
export function troubleOf(error: unknown): string {
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) return 'no answer';
  const known = connectionTrouble(error);
  if (known) return known;
  const message = error instanceof Error ? error.message : String(error);
  return maskCredentials(message).replace(/\.$/, '');
}
