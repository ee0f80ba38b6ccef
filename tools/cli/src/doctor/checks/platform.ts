import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describeError, type Finding, fault, ok } from '../finding.js';
import { requestTunnel } from '../proxy-request.js';

const TIMEOUT_MS = 10_000;

const DEFAULT_URLS = { deezer: 'https://api.deezer.com', spotify: 'https://api.spotify.com' } as const;

export interface PlatformPlace {
  readonly platform: keyof typeof DEFAULT_URLS;
  readonly url: string | undefined;
  readonly proxyUrl: string | undefined;
}

/** Any response status is accepted. */
export async function examinePlatform({ platform, url, proxyUrl }: PlatformPlace): Promise<Finding[]> {
  const address = new URL(url ?? DEFAULT_URLS[platform]);
  const via = proxyUrl === undefined ? 'directly' : `through ${new URL(proxyUrl).host}`;
  try {
    const socket = proxyUrl === undefined ? undefined : await openTunnel(address, new URL(proxyUrl));
    await sendHead(address, socket);
    return [ok('platform', `${address.host} responds, ${via}.`)];
  } catch (error) {
    return [
      fault(
        'platform',
        `${address.host} cannot be reached ${via}: ${describeError(error)}.`,
        'Check PLATFORM_URL and PLATFORM_PROXY_URL, and see docs/runbooks/platform-fails.md.',
      ),
    ];
  }
}

async function openTunnel(address: URL, proxy: URL): Promise<Socket> {
  const port = address.port || (address.protocol === 'https:' ? '443' : '80');
  const answer = await requestTunnel(proxy, `${address.hostname}:${port}`, TIMEOUT_MS);
  switch (answer.kind) {
    case 'tunnel':
      return answer.socket;
    case 'refused':
      throw new Error(`the proxy returned ${answer.status} (${answer.reason ?? 'no reason'})`);
    case 'broken':
      throw new Error(`the proxy did not respond: ${describeError(answer.error)}`);
  }
}

function sendHead(address: URL, socket: Socket | undefined): Promise<void> {
  const isTls = address.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (isTls ? https : http).request(address, {
      method: 'HEAD',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // Node ignores `createConnection` if `agent` is set, and `agent: false` would create a new agent.
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
