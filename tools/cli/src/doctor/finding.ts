import { connectionTrouble, maskCredentials } from '@artist-watch/runtime/settings/start-failure';

/** What one look came to. */
export type Finding =
  | { readonly check: string; readonly state: 'ok'; readonly found: string }
  /** Works, but not as it should: nothing must be done tonight. */
  | { readonly check: string; readonly state: 'warning'; readonly found: string; readonly mend: string }
  /** Something must be mended. */
  | { readonly check: string; readonly state: 'fault'; readonly found: string; readonly mend: string }
  /** Could not be looked at, because of what another finding tells. */
  | { readonly check: string; readonly state: 'skipped'; readonly found: string };

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found };
}

export function warning(check: string, found: string, mend: string): Finding {
  return { check, state: 'warning', found, mend };
}

export function fault(check: string, found: string, mend: string): Finding {
  return { check, state: 'fault', found, mend };
}

export function skipped(check: string, found: string): Finding {
  return { check, state: 'skipped', found };
}

/** Why something did not answer, in a few words without credentials. */
export function troubleOf(error: unknown): string {
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) return 'no answer';
  const known = connectionTrouble(error);
  if (known) return known;
  const message = error instanceof Error ? error.message : String(error);
  return maskCredentials(message).replace(/\.$/, '');
}
