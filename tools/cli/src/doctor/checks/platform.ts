import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Finding, fault, ok, troubleOf } from '../finding.js';
import { requestTunnel } from '../proxy-request.js';

const TIMEOUT_MS = 10_000;

const OWN_ADDRESSES = { deezer: 'https://api.deezer.com', spotify: 'https://api.spotify.com' } as const;

export interface PlatformPlace {
  readonly platform: keyof typeof OWN_ADDRESSES;
  readonly url: string | undefined;
  readonly proxyUrl: string | undefined;
}

/** Does the platform answer, by the way that the services take? Its status does not matter: it is asked for nothing. */
export async function examinePlatform({ platform, url, proxyUrl }: PlatformPlace): Promise<Finding[]> {
  const address = new URL(url ?? OWN_ADDRESSES[platform]);
  const via = proxyUrl === undefined ? 'directly' : `through ${new URL(proxyUrl).host}`;
  try {
    const socket = proxyUrl === undefined ? undefined : await tunnelTo(address, new URL(proxyUrl));
    await ask(address, socket);
    return [ok('platform', `${address.host} responds, ${via}.`)];
  } catch (error) {
    return [
      fault(
        'platform',
        `${address.host} cannot be reached ${via}: ${troubleOf(error)}.`,
        'Check PLATFORM_URL and PLATFORM_PROXY_URL, and see docs/runbooks/platform-fails.md.',
      ),
    ];
  }
}

async function tunnelTo(address: URL, proxy: URL): Promise<Socket> {
  const port = address.port || (address.protocol === 'https:' ? '443' : '80');
  const answer = await requestTunnel(proxy, `${address.hostname}:${port}`, TIMEOUT_MS);
  switch (answer.kind) {
    case 'tunnel':
      return answer.socket;
    case 'refused':
      throw new Error(`the proxy returned ${answer.status} (${answer.reason ?? 'no reason'})`);
    case 'broken':
      throw new Error(`the proxy did not respond: ${troubleOf(answer.error)}`);
  }
}

function ask(address: URL, socket: Socket | undefined): Promise<void> {
  const isTls = address.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (isTls ? https : http).request(address, {
      method: 'HEAD',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // Only without an agent does Node take the connection as it is, and `agent: false` gives it one.
      ...(socket
        ? { createConnection: () => (isTls ? connectTls({ socket, servername: address.hostname }) : socket) }
        : { agent: false }),
    });
    request.on('response', () => {
      resolve();
      request.destroy();
    });
    request.on('error', reject);
    request.end();
  });
}
