/**
 * What may not reach a log: bearer keys, signatures, secrets, request and answer bodies, credentials inside addresses
 * (docs/reference/service.md). Two nets: the name of a field, and the shape of any text.
 */

const HIDDEN = '***';

/** Compared without case, `_` and `-`, so that `signingSecret`, `signing_secret` and `Signing-Secret` are one name. */
const SECRET_NAME =
  /(?:^key|secret|password|passphrase|token|apikey|privatekey|signingkey|encryptionkey|idempotencykey|signature|authorization|credential|cookie|body|payload)s?$/;

const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${HIDDEN}`],
  // API keys and tokens of feeds (docs/reference/service.md) and secrets with the prefix that other webhook tools use.
  [/\b(aw_live_|aw_feed_|whsec_)[\w+/=-]+/g, `$1${HIDDEN}`],
  // X-Service-Signature: t=1700000000,v1=5257a8…
  [/\b(v\d+=)[0-9a-f]{16,}/gi, `$1${HIDDEN}`],
  // A raw password in a connection address may hold any character, so everything up to the last @ goes.
  [/\b((?:postgres(?:ql)?|rediss?(?:\+cluster)?):\/\/)[^\s"'<>]*@/gi, `$1${HIDDEN}@`],
  [/(:\/\/)[^/?#\s"'<>]*@/g, `$1${HIDDEN}@`],
  [/([?&](?:[\w-]*(?:token|key|secret|password|signature)|sig|auth)=)[^&#\s"'<>]*/gi, `$1${HIDDEN}`],
];

/** Every shape holds one of these, so that the many plain texts (ids, outcomes) cost a single look. */
const ANY_SECRET_SHAPE = /aw_live_|aw_feed_|whsec_|v\d+=|bearer|basic|:\/\/|[?&]/i;

const MAX_TEXT_CHARS = 4_096;
const MAX_SEARCHED_CHARS = 65_536;
const MAX_ITEMS = 50;
const MAX_DEPTH = 6;

/** A copy that may be written as JSON to a log: redacted, bounded in size and depth, errors spelled out, nothing undefined. */
export function redactFields(fields: object): Record<string, unknown> {
  return redactEntries(fields, 0);
}

/** The text without anything that looks like a credential, cut after 4,096 characters. */
export function redactText(text: string): string {
  // Cut after the search: half of a credential would have lost the shape that gives it away.
  const masked = maskSecrets(text.length > MAX_SEARCHED_CHARS ? text.slice(0, MAX_SEARCHED_CHARS) : text);
  return masked.length > MAX_TEXT_CHARS ? `${masked.slice(0, MAX_TEXT_CHARS)}…` : masked;
}

function maskSecrets(text: string): string {
  if (!ANY_SECRET_SHAPE.test(text)) return text;
  return SECRET_SHAPES.reduce((current, [shape, replacement]) => current.replace(shape, replacement), text);
}

function redactAt(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return redactText(value);
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? null : redactObject(value, depth);
    case 'function':
    case 'symbol':
      return undefined;
    default:
      return value;
  }
}

function redactObject(value: object, depth: number): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof URL) return redactText(value.href);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => redactAt(item, depth + 1));
    return value.length > MAX_ITEMS ? [...items, `… ${value.length - MAX_ITEMS} more`] : items;
  }
  if (value instanceof Map || value instanceof Set) return redactAt([...value], depth);
  return redactEntries(value, depth);
}

function redactEntries(value: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    copy[name] = isSecretName(name) && mayBeSecret(field) ? HIDDEN : redactAt(field, depth + 1);
  }
  return copy;
}

/** Errors keep what finds the fault (name, code, message, stack, cause) and nothing that a library has hung on them. */
function redactError(error: Error, depth: number): Record<string, unknown> {
  const { code } = error as NodeJS.ErrnoException;
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    message: redactText(error.message),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: redactAt(error.cause, depth + 1) }),
    ...(error instanceof AggregateError ? { errors: redactAt(error.errors, depth + 1) } : {}),
  };
}

/** Field names are few and come again with every line, so each is judged once. */
const judgedNames = new Map<string, boolean>();
const MAX_JUDGED_NAMES = 2_000;

function isSecretName(name: string): boolean {
  let judged = judgedNames.get(name);
  if (judged === undefined) {
    judged = SECRET_NAME.test(name.replace(/[_-]/g, '').toLowerCase());
    if (judgedNames.size < MAX_JUDGED_NAMES) judgedNames.set(name, judged);
  }
  return judged;
}

/** `keys: 3` or `signature: null` gives nothing away. */
function mayBeSecret(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);
}
