import { AsyncLocalStorage } from 'node:async_hooks';
import winston from 'winston';
import Transport from 'winston-transport';
import { LineBatch } from './log-lines.js';
import { redactFields } from './redaction.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * Writes one line of JSON per unit of work. `event` names it (`attempt.settled`, `request.answered`). `fields` has its
 * ids, its outcome and its durations, with the unit in the name (`durationMs`).
 */
export interface Logger extends Readonly<Record<LogLevel, LogMethod>> {
  /** True if lines of this level are written. Check it before computing expensive fields. */
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

/** winston's order: a lower number is more severe. */
const RANK: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };
const LINE = Symbol.for('message');

export function createLogger({ service, level, stream = process.stdout }: LoggerOptions): Logger {
  // Without a listener, the end of the log reader would crash the service. Several loggers may share a stream.
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
          // These may be the last lines of a process.
          if (RANK[info.level] <= RANK.warn) batch.flush();
          done();
        },
      }),
    ],
  });
  return loggerWith({}, level, writer);
}

const RESERVED_NAMES = ['time', 'level', 'service', 'event'] as const;

/** Formats a line. Redacts its fields, and adds `_` to reserved names, so that no field replaces the line's own. */
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

/** Runs `work` and adds `fields`, such as `{ requestId }`, to every line that it logs, also in nested calls. */
export function withContext<Result>(fields: ContextFields, work: () => Result): Result {
  return storage.run({ ...storage.getStore(), ...fields }, work);
}
