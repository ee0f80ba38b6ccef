import { AsyncLocalStorage } from 'node:async_hooks';
import winston from 'winston';
import Transport from 'winston-transport';

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

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Writes one JSON line per unit of work. Durations include their unit in the name (`durationMs`). */
export interface Logger extends Readonly<Record<LogLevel, LogMethod>> {
  /** Check this before computing expensive fields. */
  isOn(level: LogLevel): boolean;
  with(fields: object): Logger;
}

export type LogMethod = (event: string, fields?: object) => void;

export interface LoggerOptions {
  readonly service: string;
  readonly level: LogLevel;
  /** Default: standard output. */
  readonly stream?: NodeJS.WritableStream;
}

const RANK: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };
const LINE = Symbol.for('message');

export function createLogger({ service, level, stream = process.stdout }: LoggerOptions): Logger {
  // Without a listener, the service would crash when the process that reads its log exits.
  if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
  const batch = new LineBatch(stream);
  const writer = winston.createLogger({
    levels: RANK,
    level,
    format: jsonLine({ service, level }),
    transports: [
      new Transport({
        log(info: { readonly level: LogLevel; readonly [LINE]: string }, done: () => void) {
          batch.add(info[LINE]);
          // A warning or error may be the last line before the process exits.
          if (RANK[info.level] <= RANK.warn) batch.flush();
          done();
        },
      }),
    ],
  });
  return loggerWith({}, level, writer);
}

const RESERVED_NAMES = ['time', 'level', 'service', 'event'] as const;

/** Redacts secret fields and adds `_` to reserved names. */
const jsonLine = winston.format((info, options) => {
  const fields = redactFields(info.fields as object);
  for (const name of RESERVED_NAMES) {
    if (!(name in fields)) continue;
    fields[`${name}_`] = fields[name];
    delete fields[name];
  }
  info[LINE] = JSON.stringify({
    time: new Date().toISOString(),
    level: info.level,
    service: (options as LoggerOptions).service,
    event: info.message,
    ...fields,
  });
  return info;
});

function loggerWith(fixedFields: object, minimum: LogLevel, writer: winston.Logger): Logger {
  const isOn = (level: LogLevel) => RANK[level] <= RANK[minimum];
  const methodOf = (level: LogLevel): LogMethod =>
    isOn(level)
      ? (event, fields) =>
          writer.log({ level, message: event, fields: { ...fixedFields, ...storage.getStore(), ...fields } })
      : () => undefined;
  return {
    error: methodOf('error'),
    warn: methodOf('warn'),
    info: methodOf('info'),
    debug: methodOf('debug'),
    isOn,
    with: (fields) => loggerWith({ ...fixedFields, ...fields }, minimum, writer),
  };
}

type ContextFields = Record<string, unknown>;

const storage = new AsyncLocalStorage<ContextFields>();

/** Adds `fields` to every line that is logged while `work` runs, including nested calls. */
export function withContext<Result>(fields: ContextFields, work: () => Result): Result {
  return storage.run({ ...storage.getStore(), ...fields }, work);
}

const unwritten = new Set<LineBatch>();

// process.exit() loses output that a full pipe has not accepted (seen with Node 20.20 and 24.21, contrary to
// https://nodejs.org/docs/latest-v20.x/api/process.html#a-note-on-process-io).
process.on('exit', () => {
  for (const batch of unwritten) batch.flush();
});

const MAX_PENDING_CHARS = 64 * 1024;

/**
 * Writes all lines from one event loop iteration with a single system call. Unwritten lines are lost if the process is
 * killed, so flush warnings and errors immediately.
 */
export class LineBatch {
  readonly #stream: NodeJS.WritableStream;
  #pending = '';

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  add(line: string): void {
    if (this.#pending === '') {
      unwritten.add(this);
      setImmediate(this.flush);
    }
    this.#pending += `${line}\n`;
    if (this.#pending.length > MAX_PENDING_CHARS) this.flush();
  }

  readonly flush = (): void => {
    if (this.#pending === '') return;
    const text = this.#pending;
    this.#pending = '';
    unwritten.delete(this);
    this.#stream.write(text);
  };
}

/** Caps memory use. Messages that contain ids are all different, so the map would grow without bound. */
const REMEMBERED_MESSAGES = 100;

/** During an outage, loops can fail several times a second. */
const SAME_ERROR_INTERVAL_MS = 10_000;

/**
 * Logs the same error message at most once every 10 s.
 * @param write also receives the number of errors that were suppressed.
 */
export function throttled(
  write: (error: unknown, suppressed: number) => void,
  monotonicMs: () => number,
): (error: unknown) => void {
  const written = new Map<string, { readonly atMs: number; suppressed: number }>();
  return (error) => {
    const message = error instanceof Error ? error.message : String(error);
    const last = written.get(message);
    const nowMs = monotonicMs();
    if (last !== undefined && nowMs - last.atMs < SAME_ERROR_INTERVAL_MS) {
      last.suppressed += 1;
      return;
    }
    if (written.size >= REMEMBERED_MESSAGES) written.clear();
    written.set(message, { atMs: nowMs, suppressed: 0 });
    write(error, last?.suppressed ?? 0);
  };
}
