import type { Guest, KeptForm } from './page.js';
import { pathWithin } from './sign-in.js';

/** The path of the form that is sent again after the sign-in or the code. */
export const REPEAT = 'repeat';

const PREFIX = 'kept.';

/** Reads a form that has just arrived from its page, or one that a page of the sign-in has kept. */
export function keptForm({ query, form }: Pick<Guest, 'query' | 'form'>): KeptForm {
  const path = query.get(REPEAT);
  if (path) return [[REPEAT, path], ...[...form].map(([name, value]) => [PREFIX + name, value] as const)];
  return [...form].filter(([name]) => name === REPEAT || name.startsWith(PREFIX));
}

/** Returns the path of the kept form. Undefined if no form is kept. */
export function pathOfKept(form: URLSearchParams): string | undefined {
  const path = form.get(REPEAT);
  return path === null ? undefined : pathWithin(path);
}

/** Returns the original fields of a kept form. */
export function sentAgain(form: URLSearchParams): URLSearchParams {
  if (!form.has(REPEAT)) return form;
  const kept = [...form].filter(([name]) => name.startsWith(PREFIX));
  return new URLSearchParams(kept.map(([name, value]) => [name.slice(PREFIX.length), value]));
}
