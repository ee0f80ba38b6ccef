import { promises as dns } from 'node:dns';
import { HostsFile } from './hosts-file.js';
import type { Resolver } from './resolve-and-check.js';

export interface SystemResolverOptions {
  /** How long one look-up may take altogether, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Looks names up as the system does: its hosts file, then its name servers; then dns.lookup for what these do not know
 * (and for names without a dot), which tries the search list too.
 *
 * The name servers are asked directly because dns.lookup holds one of four threads until its answer comes: a few names
 * whose servers are silent would keep every other look-up of the process waiting.
 */
export function createSystemResolver({ timeoutMs }: SystemResolverOptions): Resolver {
  const hostsFile = new HostsFile();
  // The second try waits twice as long as the first: both fit into the time.
  const servers = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
  const running = new Map<string, Promise<readonly string[]>>();

  async function lookUp(name: string): Promise<readonly string[]> {
    const local = await hostsFile.addressesOf(name);
    if (local.length > 0) return local;
    const answers = name.includes('.') ? await askServers(servers, name) : [];
    return answers.length > 0 ? answers : askSystem(name);
  }

  return (name, signal) => {
    // Callers of one name share its look-up, as each of them would have got the same answer.
    let lookup = running.get(name);
    if (!lookup) {
      lookup = untilAborted(lookUp(name), AbortSignal.timeout(timeoutMs)).finally(() => running.delete(name));
      running.set(name, lookup);
    }
    return signal ? untilAborted(lookup, signal) : lookup;
  };
}

const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA']);

async function askServers(servers: dns.Resolver, name: string): Promise<string[]> {
  const answers = await Promise.allSettled([servers.resolve4(name), servers.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  for (const answer of answers) {
    if (answer.status === 'rejected' && !isNoSuchName(answer.reason)) throw answer.reason;
  }
  return [];
}

async function askSystem(name: string): Promise<string[]> {
  try {
    return (await dns.lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
  } catch (error) {
    if (isNoSuchName(error)) return [];
    throw error;
  }
}

function isNoSuchName(error: unknown): boolean {
  return NO_SUCH_NAME.has(String((error as NodeJS.ErrnoException).code));
}

function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
