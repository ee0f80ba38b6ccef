import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedServer, runEmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { openReaper } from '@artist-watch/local-stack/processes/reaper';
import { startServerProcess } from '@artist-watch/local-stack/processes/server-process';

export interface ScratchServer {
  /** `Squid`, `PgBouncer`: for what is said when it does not start. */
  readonly name: string;
  readonly program: string;
  /** The text of its configuration, whose file stands in the directory. */
  configuration(port: number, directory: string): string;
  /** @param file of the configuration. */
  args(port: number, file: string): string[];
  urlAt(port: number): string;
  answers(port: number): Promise<boolean>;
}

/** A server of the system's own packages in the foreground, in a directory that goes with it, on a free port of 127.0.0.1. */
export async function startScratchServer(server: ScratchServer): Promise<EmbeddedServer> {
  const { name, program: command } = server;
  const reaper = openReaper();
  const cwd = await mkdtemp(path.join(tmpdir(), `artist-watch-${name.toLowerCase()}-`));
  reaper.watchDirectory(cwd);
  // Started as root, such servers go on as a user of their own, who has to write here.
  await chmod(cwd, 0o777);
  const file = path.join(cwd, 'configuration');
  const logFile = path.join(cwd, 'output.log');
  const running = await runEmbeddedServer(
    {
      name,
      logFile,
      stopSignals: ['SIGTERM', 'SIGKILL'],
      urlAt: server.urlAt,
      async launch(port) {
        await writeFile(file, server.configuration(port, cwd));
        return startServerProcess({ command, args: server.args(port, file), cwd, env: process.env, logFile }, reaper);
      },
      answers: server.answers,
    },
    undefined,
  );
  return {
    url: running.url,
    port: running.port,
    get pid() {
      return running.pid;
    },
    onUnexpectedExit: running.onUnexpectedExit,
    restart: running.restart,
    async stop() {
      await running.stop();
      await rm(cwd, { recursive: true, force: true, maxRetries: 10 });
      await reaper.close();
    },
  };
}
