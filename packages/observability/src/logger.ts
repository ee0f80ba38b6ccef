import { AsyncLocalStorage } from 'node:async_hooks';
import winston from 'winston';
import Transport from 'winston-transport';
import { LineBatch } from './log-lines.js';
import { redactFields } from './redaction.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * Writes one wide line of JSON for each unit of work: `event` names what ended (`attempt.settled`, `request.answered`),
 * `fields` hold its ids, its outcome and its durations (the unit in the name: `durationMs`).
 */
export interface Logger extends Readonly<Record<LogLevel, LogMethod>> {
  /** Is a line of this level written at all? For fields that are costly to gather. */
  isOn(level: LogLevel): boolean;
  /** The same logger with fields that every line carries. */
  with(fields: object): Logger;
}

export type LogMethod = (event: string, fields?: object) => void;

export interface LoggerOptions {
  readonly service: string;
  readonly level: LogLevel;
  /** Standard output unless given. */
  readonly stream?: NodeJS.WritableStream;
}

/** winston's order: the lower, the more urgent. */
const RANK: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };
const LINE = Symbol.for('message');

export function createLogger({ service, level, stream = process.stdout }: LoggerOptions): Logger {
  // A reader of the log that goes away must not take the service with it. Several loggers may write to one stream.
  if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
  const writer = winston.createLogger({
    levels: RANK,
    level,
    // The line is complete before winston sees it; its own json format would walk the fields a second time.
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
    // These may be the last words of a process.
    if (RANK[info.level] <= RANK.warn) this.#batch.flush();
    done();
  }
}

type WriteLine = (level: LogLevel, event: string, fields: object) => void;

function loggerWith(always: object, minimum: LogLevel, write: WriteLine): Logger {
  const isOn = (level: LogLevel) => RANK[level] <= RANK[minimum];
  const methodOf = (level: LogLevel): LogMethod =>
    isOn(level)
      ? (event, fields) => write(level, event, withoutOwnNames({ ...always, ...currentContext(), ...fields }))
      : () => undefined;
  return {
    error: methodOf('error'),
    warn: methodOf('warn'),
    info: methodOf('info'),
    debug: methodOf('debug'),
    isOn,
    with: (fields) => loggerWith({ ...always, ...fields }, minimum, write),
  };
}

const OWN_NAMES = ['time', 'level', 'service', 'event'] as const;

/** A field that bears the name of one of the line's own four keeps its value under `name_`. */
function withoutOwnNames(fields: object): Record<string, unknown> {
  const redacted = redactFields(fields);
  for (const name of OWN_NAMES) {
    if (!(name in redacted)) continue;
    redacted[`${name}_`] = redacted[name];
    delete redacted[name];
  }
  return redacted;
}

type ContextFields = Record<string, unknown>;

const storage = new AsyncLocalStorage<ContextFields>();

/** Runs `work`; every line logged inside it, however deep, carries `fields` too (`{ requestId }`, `{ deliveryId }`). */
export function withContext<Result>(fields: ContextFields, work: () => Result): Result {
  return storage.run({ ...storage.getStore(), ...fields }, work);
}

export function currentContext(): Readonly<ContextFields> | undefined {
  return storage.getStore();
}
