import { findOnPath } from '../processes/on-path.js';
import { redisFromDebianPackages } from './debian-packages.js';
import type { RedisProgram, Report } from './redis-program.js';
import { installWithSystemPackages } from './system-packages.js';

const programNames = ['redis-server', 'valkey-server'];

/**
 * Finds an installed Redis server, downloads one, or (as root) installs one.
 * @throws Error that says what to install.
 */
export async function findRedis(report: Report): Promise<RedisProgram> {
  const found =
    onPath() ??
    (await redisFromDebianPackages(programNames, report)) ??
    ((await installWithSystemPackages(report)) ? onPath() : undefined);
  if (found) return found;
  throw new Error(
    'Redis was not found. Install redis-server (or valkey-server) with your package manager, for example ' +
      '"sudo apt-get install redis-server", or set REDIS_URL to a running server.',
  );
}

function onPath(): RedisProgram | undefined {
  const program = findOnPath(programNames);
  return program === undefined ? undefined : { path: program, env: {} };
}
