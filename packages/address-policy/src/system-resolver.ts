import { promises as dns } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { untilAborted } from '@artist-watch/runtime/abort';
import { HostsFile } from './hosts-file.js';
import type { Resolver } from './resolve-and-check.js';

export interface SystemResolverOptions {
  /** How long one look-up may take altogether, in milliseconds. */
  readonly timeoutMs: number;
  /** `address:port` of name servers to ask instead of the system's. */
  readonly servers?: readonly string[];
  /** Domains that are tried behind a name that does not exist; those of /etc/resolv.conf unless given. */
  readonly searchList?: readonly string[];
}

/**
 * Looks names up as the system does: its hosts file, then its name servers, for the name itself and then for the name in
 * each domain of the search list.
 *
 * The name servers are asked directly because dns.lookup holds one of the two threads that Node has for it until the
 * answer comes: two names whose servers are silent would keep every other look-up of the process waiting. So it is asked
 * only for names without a dot, which customers' servers have no say in, and where no name server could be asked.
 */
export function createSystemResolver(options: SystemResolverOptions): Resolver {
  const { timeoutMs, servers: addresses } = options;
  const hostsFile = new HostsFile();
  // Each try waits twice as long as the one before: all three fit into the time, and one lost packet costs an eighth of it.
  const servers = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 8), tries: 3 });
  if (addresses) servers.setServers(addresses);
  const running = new Map<string, Promise<readonly string[]>>();

  async function lookUp(name: string, signal: AbortSignal): Promise<readonly string[]> {
    if (isUnder('invalid', name)) return [];
    const local = await hostsFile.addressesOf(name);
    if (local.length > 0) return local;
    if (isUnder('localhost', name)) return LOOPBACK;
    return name.includes('.') ? searchFor(name, signal) : askSystem(name);
  }

  async function searchFor(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const ask = (asked: string) => askServers(servers, asked, (timeoutMs * 5) / 8);
    try {
      const answers = await ask(name);
      // A name that ends in a dot is complete (RFC 1034 section 3.1): no search list is tried.
      if (answers.length > 0 || name.endsWith('.')) return answers;
    } catch (error) {
      // Nobody waits any more for an answer that would hold a thread of the system's.
      if (!isNoServer(error) || signal.aborted) throw error;
      const known = await askSystem(name);
      // That the system knows nothing either says nothing of the name.
      if (known.length === 0) throw error;
      return known;
    }
    for (const domain of options.searchList ?? (await systemSearchList())) {
      if (signal.aborted) break;
      // That a domain of ours has trouble says nothing of a name that does not exist outside it.
      const answers = await ask(`${name}.${domain}`).catch(() => []);
      if (answers.length > 0) return answers;
    }
    return [];
  }

  return (name, signal) => {
    // Callers of one name share its look-up, as each of them would have got the same answer.
    let lookup = running.get(name);
    if (!lookup) {
      const timeout = AbortSignal.timeout(timeoutMs);
      lookup = untilAborted(lookUp(name, timeout), timeout).finally(() => running.delete(name));
      running.set(name, lookup);
    }
    return signal ? untilAborted(lookup, signal) : lookup;
  };
}

/** resolv.conf(5): of several lines the last one counts. */
async function systemSearchList(): Promise<readonly string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  const lines = text.split('\n').flatMap((line) => /^\s*(?:search|domain)\s+(.*)$/.exec(line)?.[1] ?? []);
  return (lines.at(-1) ?? '').split(/\s+/).flatMap((domain) => domain.replace(/\.$/, '') || []);
}

/** RFC 6761 section 6: names that no name server is to be asked for. */
function isUnder(specialName: 'invalid' | 'localhost', name: string): boolean {
  return name === specialName || name.endsWith(`.${specialName}`);
}

const LOOPBACK = ['127.0.0.1', '::1'] as const;
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA']);

/** How long IPv6 may still take once IPv4 has answered: some servers never answer for it. */
const IPV6_MS = 1_000;

/**
 * Both families at once.
 *
 * @throws what a name server failed with; ECONNREFUSED when none could be asked.
 *
 * @param ipv4Ms how long IPv4 may still take once IPv6 has answered: a question that was lost is repeated meanwhile, the
 * second time after three eighths of the time; Node looks that often whether it is time, and may be an eighth late. Many
 * machines have no way to IPv6, and would call a receiver unreachable that has both.
 */
async function askServers(servers: dns.Resolver, name: string, ipv4Ms: number): Promise<string[]> {
  const addresses: string[] = [];
  let otherFamilyMs = ipv4Ms;
  const ipv4 = servers.resolve4(name).then((answer) => {
    addresses.push(...answer);
    otherFamilyMs = IPV6_MS;
  });
  const ipv6 = servers.resolve6(name).then((answer) => {
    addresses.push(...answer);
  });
  const lookups = [ipv4, ipv6];
  try {
    await Promise.any(lookups);
  } catch (error) {
    const { errors } = error as AggregateError;
    const failure: unknown = errors.find((reason) => !isNoSuchName(reason) && !isNoServer(reason));
    if (failure === undefined && errors.some(isNoSuchName)) return [];
    throw failure ?? errors[0];
  }
  await untilAborted(Promise.allSettled(lookups), AbortSignal.timeout(otherFamilyMs)).catch(() => undefined);
  return addresses;
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
  return NO_SUCH_NAME.has(codeOf(error));
}

/** Nothing listens at the configured name servers, or this process has no descriptor left; the system may know another way. */
function isNoServer(error: unknown): boolean {
  return codeOf(error) === 'ECONNREFUSED';
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}
