import { AsyncLocalStorage } from 'node:async_hooks';
import winston from 'winston';
import Transport from 'winston-transport';
import { LineBatch } from './log-lines.js';
import { redactFields } from './redaction.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * Writes one JSON line per unit of work. `event` is the name of the line (`attempt.settled`, `request.answered`).
 * `fields` contains ids, the outcome and durations. A duration has its unit in its name (`durationMs`).
 */
export interface Logger extends Readonly<Record<LogLevel, LogMethod>> {
  /** True if lines of this level are written. Check this before computing fields that are expensive. */
  isOn(level: LogLevel): boolean;
  /** Returns a logger that adds these fields to every line. */
  with(fields: object): Logger;
}

export type LogMethod = (event: string, fields?: object) => void;

export interface LoggerOptions {
  readonly service: string;
  readonly level: LogLevel;
  /** Default: standard output. */
  readonly stream?: NodeJS.WritableStream;
}

/** The order of the levels for winston: a lower number is more severe. */
const RANK: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };
const LINE = Symbol.for('message');

export function createLogger({ service, level, stream = process.stdout }: LoggerOptions): Logger {
  // Without an error listener, the service would crash when the process that reads its log ends. Several loggers may
  // share a stream, so the listener is added only once.
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
          // Warnings and errors may be the last lines of the process.
          if (RANK[info.level] <= RANK.warn) batch.flush();
          done();
        },
      }),
    ],
  });
  return loggerWith({}, level, writer);
}

const RESERVED_NAMES = ['time', 'level', 'service', 'event'] as const;

/** Formats a line. Redacts its fields and adds `_` to a reserved name, so that no field replaces a standard field. */
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

/** Runs `work` and adds `fields` to every line that it logs, also in nested calls. Example: `{ requestId }`. */
export function withContext<Result>(fields: ContextFields, work: () => Result): Result {
  return storage.run({ ...storage.getStore(), ...fields }, work);
}
