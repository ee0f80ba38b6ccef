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
  const writer = winston.createLogger({
    levels: RANK,
    level,
    // The line is already complete. winston's json format would serialize the fields again.
    format: winston.format((info) => info)(),
    transports: [new BatchTransport(new LineBatch(stream))],
  });
  const write = (lineLevel: LogLevel, event: string, fields: object) => {
    const line = JSON.stringify({ time: new Date().toISOString(), level: lineLevel, service, event, ...fields });
    writer.log({ level: lineLevel, message: event, [LINE]: line });
  };
  return loggerWith({}, level, write);
}

class BatchTransport extends Transport {
  readonly #batch: LineBatch;

  constructor(batch: LineBatch) {
    super();
    this.#batch = batch;
  }

  override log(info: { readonly level: LogLevel; readonly [LINE]: string }, done: () => void): void {
    this.#batch.add(info[LINE]);
    // These may be the last lines of a process.
    if (RANK[info.level] <= RANK.warn) this.#batch.flush();
    done();
  }
}

type WriteLine = (level: LogLevel, event: string, fields: object) => void;

function loggerWith(fixedFields: object, minimum: LogLevel, write: WriteLine): Logger {
  const isOn = (level: LogLevel) => RANK[level] <= RANK[minimum];
  const methodOf = (level: LogLevel): LogMethod =>
    isOn(level)
      ? (event, fields) => write(level, event, redactAndRename({ ...fixedFields, ...storage.getStore(), ...fields }))
      : () => undefined;
  return {
    error: methodOf('error'),
    warn: methodOf('warn'),
    info: methodOf('info'),
    debug: methodOf('debug'),
    isOn,
    with: (fields) => loggerWith({ ...fixedFields, ...fields }, minimum, write),
  };
}

const RESERVED_NAMES = ['time', 'level', 'service', 'event'] as const;

/** Redacts the fields, and adds `_` to reserved names, so that no field replaces the line's own. */
function redactAndRename(fields: object): Record<string, unknown> {
  const redacted = redactFields(fields);
  for (const name of RESERVED_NAMES) {
    if (!(name in redacted)) continue;
    redacted[`${name}_`] = redacted[name];
    delete redacted[name];
  }
  return redacted;
}

type ContextFields = Record<string, unknown>;

const storage = new AsyncLocalStorage<ContextFields>();

/** Runs `work` and adds `fields`, such as `{ requestId }`, to every line that it logs, also in nested calls. */
export function withContext<Result>(fields: ContextFields, work: () => Result): Result {
  return storage.run({ ...storage.getStore(), ...fields }, work);
}
