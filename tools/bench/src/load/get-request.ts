/** The bytes of a GET, ready to be sent again and again. */
export function getRequest(path: string, headers: Readonly<Record<string, string>> = {}): Uint8Array {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
}
