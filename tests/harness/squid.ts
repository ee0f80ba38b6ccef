import type { EmbeddedServer } from '@artist-watch/local-stack/processes/embedded-server';
import { isFree } from '@artist-watch/local-stack/processes/free-port';
import { findOnPath } from '@artist-watch/local-stack/processes/on-path';
import { startScratchServer } from './scratch-server.js';

/** Undefined if Squid is not installed. */
export function findSquid(): string | undefined {
  return findOnPath(['squid']);
}

export function startSquid(program: string, rules: readonly string[]): Promise<EmbeddedServer> {
  return startScratchServer({
    name: 'Squid',
    program,
    configuration: (port, directory) =>
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
    args: (port, file) => ['-N', '-n', `test${port}`, '-f', file],
    urlAt: (port) => `http://127.0.0.1:${port}`,
    answers: async (port) => !(await isFree(port)),
  });
}
