/** What Node's clients want of a proxy's address. */

export function hostOf(proxy: URL): string {
  return proxy.hostname.replace(/^\[|\]$/g, '');
}

export function portOf(proxy: URL): number {
  return Number(proxy.port) || (proxy.protocol === 'https:' ? 443 : 80);
}

/** RFC 9110 section 11.7.2: `Proxy-Authorization`, when the address holds a user. */
export function credentialsOf(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const userInfo = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(userInfo).toString('base64')}` };
}
