import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { onAbort } from '../clock.js';
import { StartError } from '../settings/start-failure.js';

export interface ListenOptions {
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
