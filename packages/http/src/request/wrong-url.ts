import { ApiError } from '@artist-watch/contracts/api/errors';
import { editDistance } from '@artist-watch/domain/edit-distance';

export function methodNotAllowed(method: string | undefined, allowed: readonly string[]): ApiError {
  const others = allowed.slice(0, -1).join(', ');
  const use = others === '' ? allowed.join() : `${others} or ${allowed.at(-1)}`;
  return new ApiError('method_not_allowed', `${method} is not supported here. Use ${use}.`, {
    headers: { Allow: allowed.join(', ') },
  });
}

/** Error messages only repeat the path if it is short and has no percent-encoding. */
const SHOWN = /^\/[\w.~/-]{0,79}$/;

export function notFound(path: string, suggestion?: string): ApiError {
  const what = SHOWN.test(path) ? `There is no ${path}.` : 'This URL does not exist.';
  return new ApiError('not_found', suggestion === undefined ? what : `${what} Did you mean ${suggestion}?`);
}

/** Maximum number of characters that may be inserted, deleted or replaced. */
const MAX_TYPOS = 2;

/**
 * Creates a function that suggests an existing path for a mistyped one.
 *
 * @param paths all paths, with `{id}` for ids.
 */
export function pathSuggester(base: string, paths: readonly string[]): (path: string) => string | undefined {
  const templates = paths.map((path) => path.split('/'));
  return (path) => {
    if (!SHOWN.test(path)) return undefined;
    const bare = path
      .toLowerCase()
      .replaceAll(/\/{2,}/g, '/')
      .replace(/\/$/, '')
      .replace(/^(?:\/(?:api|v\d+))*/, '');
    if (bare === '') return undefined;
    const parts = bare.split('/');
    const [nearest] = templates
      .filter(({ length }) => length === parts.length)
      .map((template) => template.map((part, index) => (part.startsWith('{') ? parts[index] : part)).join('/'))
      .map((candidate) => ({ candidate, typos: editDistance(bare, candidate) }))
      .sort((a, b) => a.typos - b.typos);
    return nearest && nearest.typos <= MAX_TYPOS ? `${base}${nearest.candidate}` : undefined;
  };
}
