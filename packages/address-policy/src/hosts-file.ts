import { readFile, stat } from 'node:fs/promises';

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
