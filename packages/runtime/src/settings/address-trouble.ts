/** What is wrong with an address, undefined when nothing is; completes `NAME "text" …`. */
export type TroubleOf = (text: string) => string | undefined;

export const troubleOfHttp = troubleUnless(['http:', 'https:'], 'is not an http(s) address');
export const troubleOfSmtp = troubleUnless(['smtp:', 'smtps:'], 'is not an smtp:// or smtps:// address');
export const troubleOfRedis = troubleUnless(['redis:', 'rediss:'], 'is not a redis:// address');

function troubleUnless(protocols: readonly string[], otherwise: string): TroubleOf {
  return (text) => {
    if (!hasProtocol(text, protocols)) return otherwise;
    const { username, password } = new URL(text);
    if (isDecodable(username) && isDecodable(password)) return undefined;
    return 'has a % in its user or password that encodes nothing (% itself is written %25)';
  };
}

/** The driver reads what libpq reads, but for several hosts. It takes a % that encodes nothing as it is. */
export function troubleOfDatabase(text: string): string | undefined {
  const authority = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(text)?.[1];
  const hosts = authority?.slice(authority.lastIndexOf('@') + 1);
  if (hosts === '') return 'names no host (a Unix socket is postgres://%2Frun%2Fpostgresql/…)';
  if (hosts?.includes(',')) return 'names several hosts, of which only one may be given';
  return hasProtocol(text, ['postgres:', 'postgresql:']) ? undefined : 'is not a postgres:// address';
}

function hasProtocol(text: string, protocols: readonly string[]): boolean {
  try {
    const url = new URL(text);
    return protocols.includes(url.protocol) && url.hostname !== '';
  } catch {
    return false;
  }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
