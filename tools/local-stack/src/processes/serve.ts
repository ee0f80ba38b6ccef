import type { Server, Socket } from 'node:net';
import { listen } from '@artist-watch/runtime/settings/start-failure';

export interface Served {
  readonly port: number;
  close(): Promise<void>;
}

export async function serve(server: Server, { port = 0, host = '127.0.0.1' } = {}): Promise<Served> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    port: await listen(server, { port, host, setting: 'port' }),
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}
