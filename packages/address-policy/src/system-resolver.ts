import { promises as dns } from 'node:dns';
import { readFile, stat } from 'node:fs/promises';
import { untilAborted } from '@artist-watch/runtime/clock';
import type { Resolver } from './check-address.js';

/** Rereads /etc/hosts when it changes, because container runtimes add names to it. */
export class HostsFile {
  readonly #path: string;
  #readAtMs = Number.NaN;
  #addressesByName: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(path = '/etc/hosts') {
    this.#path = path;
  }

  /**
   * Returns an empty list if the name is missing or the file cannot be read.
   * @param name lower case, without a trailing dot
   */
  async addressesOf(name: string): Promise<readonly string[]> {
    try {
      const { mtimeMs } = await stat(this.#path);
      if (mtimeMs !== this.#readAtMs) {
        this.#addressesByName = parseHostsFile(await readFile(this.#path, 'utf8'));
        this.#readAtMs = mtimeMs;
      }
    } catch {
      return [];
    }
    return this.#addressesByName.get(name) ?? [];
  }
}

/** hosts(5) */
export function parseHostsFile(text: string): Map<string, string[]> {
  const addressesByName = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...names] = (line.split('#', 1)[0] ?? '').split(/\s+/).filter((part) => part !== '');
    if (address === undefined) continue;
    for (const name of names.map((one) => one.toLowerCase())) {
      addressesByName.set(name, [...(addressesByName.get(name) ?? []), address]);
    }
  }
  return addressesByName;
}

export interface SystemResolverOptions {
  readonly timeoutMs: number;
  readonly servers?: readonly string[];
  /** Search domains, in order. Default: those in /etc/resolv.conf. */
  readonly searchList?: readonly string[];
}

/**
 * Resolves names in the same order as the system: the hosts file, the name itself, then search domains. Avoids
 * dns.lookup where possible, because each call occupies one of Node's two lookup threads.
 */
export function createSystemResolver(options: SystemResolverOptions): Resolver {
  const { timeoutMs, servers: addresses } = options;
  const hostsFile = new HostsFile();
  // Each try waits twice as long as the previous one, so three tries take 7/8 of the timeout.
  const servers = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 8), tries: 3 });
  if (addresses) servers.setServers(addresses);
  const lookups = new Map<string, Promise<readonly string[]>>();

  async function lookUp(name: string, signal: AbortSignal): Promise<readonly string[]> {
    if (isUnder('invalid', name)) return [];
    const local = await hostsFile.addressesOf(name);
    if (local.length > 0) return local;
    if (isUnder('localhost', name)) return LOOPBACK;
    return name.includes('.') ? queryWithSearchList(name, signal) : querySystem(name);
  }

  async function queryWithSearchList(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const query = (fullName: string) => queryServers(servers, fullName, (timeoutMs * 5) / 8);
    try {
      const addresses = await query(name);
      // A trailing dot marks a complete name, which must not be combined with search domains (RFC 1034 section 3.1).
      if (addresses.length > 0 || name.endsWith('.')) return addresses;
    } catch (error) {
      // After the timeout, it is too late to try dns.lookup.
      if (!isNoServer(error) || signal.aborted) throw error;
      const addresses = await querySystem(name);
      // An empty result from dns.lookup does not prove that the name does not exist.
      if (addresses.length === 0) throw error;
      return addresses;
    }
    for (const domain of options.searchList ?? (await systemSearchList())) {
      if (signal.aborted) break;
      // Ignore errors, because the name servers have already reported that the plain name does not exist.
      const addresses = await query(`${name}.${domain}`).catch(() => []);
      if (addresses.length > 0) return addresses;
    }
    return [];
  }

  return (name, signal) => {
    let lookup = lookups.get(name);
    if (!lookup) {
      const timeout = AbortSignal.timeout(timeoutMs);
      lookup = untilAborted(lookUp(name, timeout), timeout).finally(() => lookups.delete(name));
      lookups.set(name, lookup);
    }
    return signal ? untilAborted(lookup, signal) : lookup;
  };
}

/** Uses the last `search` or `domain` line (resolv.conf(5)). */
async function systemSearchList(): Promise<readonly string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  const lines = text.split('\n').flatMap((line) => /^\s*(?:search|domain)\s+(.*)$/.exec(line)?.[1] ?? []);
  return (lines.at(-1) ?? '').split(/\s+/).flatMap((domain) => domain.replace(/\.$/, '') || []);
}

/** These names must not be sent to name servers (RFC 6761 section 6). */
function isUnder(specialName: 'invalid' | 'localhost', name: string): boolean {
  return name === specialName || name.endsWith(`.${specialName}`);
}

const LOOPBACK = ['127.0.0.1', '::1'] as const;
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA']);

/** Some name servers never respond to IPv6 queries. */
const IPV6_WAIT_MS = 1_000;

/**
 * Queries IPv4 and IPv6 concurrently.
 * @param ipv4WaitMs how long to keep waiting for IPv4 after the IPv6 response, because many machines have no IPv6
 * route.
 * @throws the name server's error, or ECONNREFUSED if no name server could be queried.
 */
async function queryServers(servers: dns.Resolver, name: string, ipv4WaitMs: number): Promise<string[]> {
  const addresses: string[] = [];
  let otherFamilyWaitMs = ipv4WaitMs;
  const ipv4 = servers.resolve4(name).then((found) => {
    addresses.push(...found);
    otherFamilyWaitMs = IPV6_WAIT_MS;
  });
  const ipv6 = servers.resolve6(name).then((found) => {
    addresses.push(...found);
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
  await untilAborted(Promise.allSettled(lookups), AbortSignal.timeout(otherFamilyWaitMs)).catch(() => undefined);
  return addresses;
}

async function querySystem(name: string): Promise<string[]> {
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

/** True if no name server is listening, or no file descriptor is free. dns.lookup may still work. */
function isNoServer(error: unknown): boolean {
  return codeOf(error) === 'ECONNREFUSED';
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}
