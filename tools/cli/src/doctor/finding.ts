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
