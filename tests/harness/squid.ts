import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedServer, runEmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { isFree } from '@artist-watch/local-stack/processes/free-port';
import { findOnPath } from '@artist-watch/local-stack/processes/on-path';
import { openReaper } from '@artist-watch/local-stack/processes/reaper';
import { startServerProcess } from '@artist-watch/local-stack/processes/server-process';

/** Undefined where no Squid is installed. */
export function findSquid(): Promise<string | undefined> {
  return findOnPath(['squid']);
}

/** A real Squid in the foreground, on a free port of 127.0.0.1, with nothing of the system's own one. */
export async function startSquid(program: string, rules: readonly string[]): Promise<EmbeddedServer> {
  const reaper = openReaper();
  const directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-squid-'));
  reaper.watchDirectory(directory);
  // Started as root, it goes on as its own user, who has to write here.
  await chmod(directory, 0o777);
  const configuration = path.join(directory, 'squid.conf');
  const logFile = path.join(directory, 'output.log');
  const configure = (port: number) =>
    writeFile(
      configuration,
      [
        `http_port 127.0.0.1:${port}`,
        `pid_filename ${directory}/squid-${port}.pid`,
        `cache_log ${directory}/cache.log`,
        `coredump_dir ${directory}`,
        'access_log none',
        'cache deny all',
        'pinger_enable off',
        'shutdown_lifetime 0 seconds',
        ...rules,
      ].join('\n'),
    );
  const server = await runEmbeddedServer(
    {
      name: 'Squid',
      logFile,
      stopSignals: ['SIGTERM'],
      urlAt: (port) => `http://127.0.0.1:${port}`,
      async launch(port) {
        await configure(port);
        const args = ['-N', '-n', `test${port}`, '-f', configuration];
        return startServerProcess({ command: program, args, cwd: directory, env: process.env, logFile }, reaper);
      },
      answers: async (port) => !(await isFree(port)),
    },
    undefined,
  );
  return {
    url: server.url,
    port: server.port,
    get pid() {
      return server.pid;
    },
    onUnexpectedExit: server.onUnexpectedExit,
    restart: server.restart,
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true, maxRetries: 10 });
      await reaper.close();
    },
  };
}
