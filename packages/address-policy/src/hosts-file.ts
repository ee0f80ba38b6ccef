import { readFile, stat } from 'node:fs/promises';

/**
 * The names of /etc/hosts, which the system asks before any name server. Read again when the file has changed, as it does
 * in containers that are given names while they run.
 */
export class HostsFile {
  readonly #path: string;
  #readAtMs = Number.NaN;
  #addressesByName: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(path = '/etc/hosts') {
    this.#path = path;
  }

  /** All addresses of a name (lower case, no trailing dot); none when the file does not have it or cannot be read. */
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

/** hosts(5): an address, then its names, `#` begins a comment. */
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
