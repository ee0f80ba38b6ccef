/** Removes credentials, signatures and bodies from log lines (docs/reference/service.md). */

const HIDDEN = '***';

/** Names are compared in lower case and without `_` or `-`, so `signingSecret` matches `Signing-Secret`. */
const SECRET_NAME =
  /(?:^key|secret|password|passphrase|token|apikey|privatekey|signingkey|encryptionkey|idempotencykey|signature|authorization|credential|cookie|body|payload)s?$/;

const SECRET_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${HIDDEN}`],
  // API keys and feed tokens (docs/reference/service.md), and signing secrets from other webhook tools.
  [/\b(aw_live_|aw_feed_|whsec_)[\w+/=-]+/g, `$1${HIDDEN}`],
  // X-Service-Signature: t=1700000000,v1=5257a8…
  [/\b(v\d+=)[0-9a-f]{16,}/gi, `$1${HIDDEN}`],
  // Hide everything up to the last @, because an unencoded password may contain any character.
  [/\b((?:postgres(?:ql)?|rediss?(?:\+cluster)?):\/\/)[^\s"'<>]*@/gi, `$1${HIDDEN}@`],
  [/(:\/\/)[^/?#\s"'<>]*@/g, `$1${HIDDEN}@`],
  [/([?&](?:[\w-]*(?:token|key|secret|password|signature)|sig|auth)=)[^&#\s"'<>]*/gi, `$1${HIDDEN}`],
];

/** Most texts don't match this pattern, so they are not compared with the slower ones. */
const ANY_SECRET_PATTERN = /aw_live_|aw_feed_|whsec_|v\d+=|bearer|basic|:\/\/|[?&]/i;

const MAX_TEXT_CHARS = 4_096;
const MAX_SEARCHED_CHARS = 65_536;
const MAX_ITEMS = 50;
const MAX_DEPTH = 6;

/** Returns a copy without secrets or undefined values, limited in size and depth. */
export function redactFields(fields: object, depth = 0): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field === undefined) continue;
    copy[name] = isSecretName(name) && mayBeSecret(field) ? HIDDEN : redactValue(field, depth + 1);
  }
  return copy;
}

/** Hides credentials and truncates the text to 4,096 characters. */
export function redactText(text: string): string {
  let masked = text.slice(0, MAX_SEARCHED_CHARS);
  if (ANY_SECRET_PATTERN.test(masked)) {
    for (const [pattern, replacement] of SECRET_PATTERNS) masked = masked.replace(pattern, replacement);
  }
  // Redact before truncating, because half a credential might not match any pattern.
  return masked.length > MAX_TEXT_CHARS ? `${masked.slice(0, MAX_TEXT_CHARS)}…` : masked;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof URL) return redactText(value.href);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => redactValue(item, depth + 1));
    return value.length > MAX_ITEMS ? [...items, `… ${value.length - MAX_ITEMS} more`] : items;
  }
  if (value instanceof Map || value instanceof Set) return redactValue([...value], depth);
  return redactFields(value, depth);
}

/** Only copies an error's known properties, because libraries may add secret ones. */
function redactError(error: Error, depth: number): Record<string, unknown> {
  const { code } = error as NodeJS.ErrnoException;
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    message: redactText(error.message),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: redactValue(error.cause, depth + 1) }),
    ...(error instanceof AggregateError ? { errors: redactValue(error.errors, depth + 1) } : {}),
  };
}

/** Caches the result for each name, because all log lines use the same few names. */
const checkedNames = new Map<string, boolean>();
const MAX_CHECKED_NAMES = 2_000;

function isSecretName(name: string): boolean {
  let isSecret = checkedNames.get(name);
  if (isSecret === undefined) {
    isSecret = SECRET_NAME.test(name.replace(/[_-]/g, '').toLowerCase());
    if (checkedNames.size < MAX_CHECKED_NAMES) checkedNames.set(name, isSecret);
  }
  return isSecret;
}

/** Returns false for values such as `keys: 3` or `signature: null`. */
function mayBeSecret(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);
}
