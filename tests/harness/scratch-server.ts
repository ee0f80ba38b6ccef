import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type EmbeddedServer, runEmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { startServerProcess } from '@artist-watch/local-stack/processes/server-process';
import { startTemporaryServers } from '@artist-watch/local-stack/processes/temporary-servers';

export interface ScratchServer {
  readonly name: string;
  readonly program: string;
  configuration(port: number, directory: string): string;
  /** @param file path of the configuration file. */
  args(port: number, file: string): string[];
  urlAt(port: number): string;
  answers(port: number): Promise<boolean>;
}

/** The server gets a free port of 127.0.0.1 and a directory that is deleted with it. */
export async function startScratchServer({
  name,
  program: command,
  ...server
}: ScratchServer): Promise<EmbeddedServer> {
  const prefix = `artist-watch-${name.toLowerCase()}-`;
  return startTemporaryServers(prefix, async ({ directory: cwd, reaper, keep, stop }) => {
    // When started as root, these servers switch to another user, who must be able to write to the directory.
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
