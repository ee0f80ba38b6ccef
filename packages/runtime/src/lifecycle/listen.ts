import type { Server as HttpServer, RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { onAbort } from '../abort.js';
import { StartError } from '../settings/start-failure.js';

export interface ListenOptions {
  /** 0 asks for any free port. */
  readonly port: number;
  /** All interfaces unless given. */
  readonly host?: string | undefined;
  /** The setting that the port came from, for the sentence when it is taken: `API_PORT`. */
  readonly setting: string;
}

/** Starts to listen and resolves with the port in use. Throws `Port 8080 (API_PORT) is taken.` as a StartError. */
export function listen(server: Server, { port, host, setting }: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      server.off('listening', onListening);
      reject(explain(error, port, host, setting));
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

function explain(error: NodeJS.ErrnoException, port: number, host: string | undefined, setting: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartError(`Port ${port} (${setting}) is taken.`, { cause: error });
    case 'EACCES':
      return new StartError(`Port ${port} (${setting}) may not be opened by this user.`, { cause: error });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(`This machine has no address ${host} (LISTEN_HOST) to listen on.`, { cause: error });
    default:
      return error;
  }
}

/**
 * How long servers that load balancers stand before keep an idle connection: longer than the minute for which those keep
 * theirs, so that they close it and no request meets a server that is just closing it.
 */
export const KEEP_ALIVE_MS = 65_000;

/** How often a draining server looks for connections whose last answer is out. */
const IDLE_CHECK_MS = 50;

/**
 * Answers as `listener` does; to a request that comes once `stopping` is aborted, each answer also says that it is the
 * connection's last, so that none is in use any more when the server closes what it has.
 */
export function withGracefulShutdown(listener: RequestListener, stopping: AbortSignal): RequestListener {
  return (request, response) => {
    if (stopping.aborted) response.setHeader('Connection', 'close');
    listener(request, response);
  };
}

/** Takes no new connection, lets the requests in hand end, and cuts what is left when `forced` is aborted. */
export async function drain(server: HttpServer, forced: AbortSignal): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const forgetForced = onAbort(forced, () => server.closeAllConnections());
  await closed;
  clearInterval(idle);
  forgetForced();
}
