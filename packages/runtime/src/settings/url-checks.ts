/** Returns undefined if the URL is valid, otherwise the end of the sentence `NAME "text" …`. */
export type UrlCheck = (text: string) => string | undefined;

export const checkHttpUrl = protocolCheck(['http:', 'https:'], 'is not an http:// or https:// URL');
export const checkSmtpUrl = protocolCheck(['smtp:', 'smtps:'], 'is not an smtp:// or smtps:// URL');
export const checkRedisUrl = protocolCheck(['redis:', 'rediss:'], 'is not a redis:// or rediss:// URL');

function protocolCheck(protocols: readonly string[], problem: string): UrlCheck {
  return (text) => {
    if (!hasProtocol(text, protocols)) return problem;
    const { username, password } = new URL(text);
    if (isDecodable(username) && isDecodable(password)) return undefined;
    return 'has an invalid % encoding in its user or password (write % as %25)';
  };
}

/** Unlike libpq, the driver supports only one host and accepts invalid percent-encoding. */
export function checkDatabaseUrl(text: string): string | undefined {
  const authority = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(text)?.[1];
  const hosts = authority?.slice(authority.lastIndexOf('@') + 1);
  if (hosts === '') return 'has no host (for a Unix socket, write postgres://%2Frun%2Fpostgresql/…)';
  if (hosts?.includes(',')) return 'has several hosts, but only one is supported';
  return hasProtocol(text, ['postgres:', 'postgresql:']) ? undefined : 'is not a postgres:// URL';
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
