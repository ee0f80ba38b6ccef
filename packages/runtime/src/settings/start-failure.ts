import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { onAbort, within } from '../clock.js';

/** The message is one sentence for the operator. No stack trace is printed. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

const SENTENCES_BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'no response',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be resolved',
  // PostgreSQL error codes, https://www.postgresql.org/docs/current/errcodes-appendix.html
  '28P01': 'the user or password is wrong',
  '28000': 'the user is not allowed to connect',
  '3D000': 'the database does not exist',
  '53300': 'too many connections',
  '57P03': 'the server is still starting',
  '42P01': 'a table is missing, so run the migrations first',
};

/** Redis error messages start with one of these codes. */
const SENTENCES_BY_REDIS_WORD: Readonly<Record<string, string>> = {
  WRONGPASS: 'the user or password is wrong',
  NOAUTH: 'a password is required',
  LOADING: 'the server is still loading its data',
};

/** Describes a connection error, for example as `connection refused`. Returns undefined for other errors. */
export function connectionProblem(error: unknown): string | undefined {
  for (const part of withCauses(error)) {
    const codes = [part.code, part.originalCode];
    for (const code of codes) {
      const sentence = typeof code === 'string' ? SENTENCES_BY_CODE[code] : undefined;
      if (sentence) return sentence;
    }
    const word = typeof part.message === 'string' ? part.message.split(' ', 1)[0] : undefined;
    const sentence = word ? SENTENCES_BY_REDIS_WORD[word] : undefined;
    if (sentence) return sentence;
  }
  return undefined;
}

/** If `known` is false, the stack trace should be printed too. */
export function explainStartFailure(error: unknown): { readonly sentence: string; readonly known: boolean } {
  if (error instanceof StartError) return { sentence: error.message, known: true };
  for (const part of withCauses(error)) {
    const { code, port, address } = part;
    if (code === 'EADDRINUSE') return { sentence: `Port ${port} is already in use.`, known: true };
    if (code === 'EACCES' && port !== undefined) {
      return { sentence: `This user is not allowed to open port ${port}.`, known: true };
    }
    const problem = connectionProblem(part);
    if (problem && address !== undefined) {
      return { sentence: `${address}:${port} cannot be reached: ${problem}.`, known: true };
    }
  }
  const message = error instanceof Error ? error.message : String(error);
  return { sentence: `Unexpected error: ${maskCredentials(message)}`, known: false };
}

const MAX_DEPTH = 8;

function* withCauses(error: unknown, depth = 0): Generator<Record<string, unknown>> {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return;
  const fields = error as Record<string, unknown>;
  yield fields;
  const parts = Array.isArray(fields.errors) ? fields.errors : [];
  for (const part of [...parts, fields.cause]) yield* withCauses(part, depth + 1);
}

export function maskCredentials(text: string): string {
  return (
    text
      // Mask everything up to the last @, because an unencoded password may even contain a slash.
      .replace(/\/\/[^\s"'<>]*@/g, '//***@')
      .replace(/([?&][\w-]*(?:password|secret|token|key)=)[^&#\s"'<>]*/gi, '$1***')
  );
}

interface Dependency {
  readonly what: string;
  readonly setting: string;
  readonly url: string;
  /** Default: 10 s. */
  readonly timeoutMs?: number;
}

/**
 * The dependency responds but cannot be used. The message completes `PostgreSQL at db:5432 (DATABASE_URL) cannot be
 * used: …`.
 */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Checks at startup that a dependency responds.
 * @throws StartError such as `PostgreSQL at db:5432 (DATABASE_URL) cannot be reached: connection refused.`
 */
export async function reach(dependency: Dependency, check: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const { what, setting, url, timeoutMs = DEFAULT_TIMEOUT_MS } = dependency;
  const timeout = new AbortController();
  try {
    await within(timeoutMs, check(timeout.signal), () => {
      timeout.abort();
      throw Object.assign(new Error(`no response within ${timeoutMs} ms`), { code: 'ETIMEDOUT' });
    });
  } catch (error) {
    const problem =
      error instanceof Unusable ? `used: ${error.message}` : `reached: ${connectionProblem(error) ?? firstLine(error)}`;
    throw new StartError(`${what} at ${hostOf(url)} (${setting}) cannot be ${problem}.`, { cause: error });
  }
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'an invalid URL';
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.split('\n').find((text) => text.trim() !== '') ?? 'unknown error';
  return maskCredentials(line.trim()).replace(/\.$/, '');
}

interface ListenOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Default: all interfaces. */
  readonly host?: string | undefined;
  readonly setting: string;
}

/**
 * Resolves with the port.
 * @throws StartError such as `Port 8080 (API_PORT) is already in use.`
 */
export function listen(server: Server, { port, host, setting }: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      server.off('listening', onListening);
      reject(toStartError(error, port, host, setting));
    };
    const onListening = () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    };
    server.once('error', onError);
    server.once('listening', onListening);
    server.listen(host === undefined ? { port } : { port, host });
  });
}

function toStartError(error: NodeJS.ErrnoException, port: number, host: string | undefined, setting: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartError(`Port ${port} (${setting}) is already in use.`, { cause: error });
    case 'EACCES':
      return new StartError(`This user is not allowed to open port ${port} (${setting}).`, { cause: error });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(`This machine does not have the IP address ${host} (LISTEN_HOST).`, { cause: error });
    default:
      return error;
  }
}

const IDLE_CHECK_MS = 50;

/** Stops accepting connections. Requests in progress can finish until `forced` is aborted. */
export async function drain(server: HttpServer, forced: AbortSignal): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const removeListener = onAbort(forced, () => server.closeAllConnections());
  await closed;
  clearInterval(idle);
  removeListener();
}
