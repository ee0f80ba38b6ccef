import { AsyncLocalStorage } from 'node:async_hooks';
import winston from 'winston';
import Transport from 'winston-transport';
import { redactFields } from './redaction.js';

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
