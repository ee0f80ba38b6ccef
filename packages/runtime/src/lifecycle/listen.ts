import type { AddressInfo, Server } from 'node:net';
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
