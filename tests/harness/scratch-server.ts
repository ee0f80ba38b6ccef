import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type EmbeddedServer, runEmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { startServerProcess } from '@artist-watch/local-stack/processes/server-process';
import { startTemporaryServers } from '@artist-watch/local-stack/processes/temporary-servers';

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
export async function startScratchServer({
  name,
  program: command,
  ...server
}: ScratchServer): Promise<EmbeddedServer> {
  const prefix = `artist-watch-${name.toLowerCase()}-`;
  return startTemporaryServers(prefix, async ({ directory: cwd, reaper, keep, stop }) => {
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
    keep(running);
    return {
      ...running,
      get pid() {
        return running.pid;
      },
      stop,
    };
  });
}
