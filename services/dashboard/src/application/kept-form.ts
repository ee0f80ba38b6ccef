import type { Guest, KeptForm } from './page.js';
import { pathWithin } from './sign-in.js';

/** The parameter with the path to resubmit the form to once the user has signed in or entered a code. */
export const REPEAT = 'repeat';

const PREFIX = 'kept.';

/** Reads a form that was just submitted, or one that was saved while the user signed in. */
export function keptForm({ query, form }: Pick<Guest, 'query' | 'form'>): KeptForm {
  const path = query.get(REPEAT);
  if (path) return [[REPEAT, path], ...[...form].map(([name, value]) => [PREFIX + name, value] as const)];
  return [...form].filter(([name]) => name === REPEAT || name.startsWith(PREFIX));
}

export function pathOfKept(form: URLSearchParams): string | undefined {
  const path = form.get(REPEAT);
  return path === null ? undefined : pathWithin(path);
}

/** Returns a saved form's original fields. */
export function sentAgain(form: URLSearchParams): URLSearchParams {
  if (!form.has(REPEAT)) return form;
  const kept = [...form].filter(([name]) => name.startsWith(PREFIX));
  return new URLSearchParams(kept.map(([name, value]) => [name.slice(PREFIX.length), value]));
}
