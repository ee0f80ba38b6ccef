import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from './until.js';

export interface UnresponsiveHost {
  readonly port: number;
  close(): Promise<void>;
}

/** The server never accepts a connection from the kernel's queue. */
const NEVER_ACCEPTS = `
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
/** Linux completes one connection more than the backlog allows, and does not respond to any further ones. */
const TAKEN_BY_KERNEL = 2;

/** A host behind a firewall neither accepts nor refuses connections. */
export async function startUnresponsiveHost(): Promise<UnresponsiveHost> {
  const child = spawn(process.execPath, ['-e', NEVER_ACCEPTS], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = Number(String((await once(child.stdout, 'data'))[0]));
  let taken = 0;
  const sockets: Socket[] = [];
  for (let count = 0; count < TAKEN_BY_KERNEL; count += 1) {
    sockets.push(
      connect({ port, host: '127.0.0.1' }, () => {
        taken += 1;
      }).on('error', () => undefined),
    );
  }
  await until('the connection queue to be full', () => taken === TAKEN_BY_KERNEL);
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    },
  };
}
