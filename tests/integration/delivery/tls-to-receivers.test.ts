import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer as createTlsServer, type TlsOptions as ServerOptions, type TLSSocket } from 'node:tls';
import { classifyAttempt } from '@artist-watch/domain/delivery/attempt-classification';
import { type Certificate, createAuthority, createCertificate } from '@artist-watch/harness/certificates';
import { startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { serve } from '@artist-watch/local-stack/processes/serve';
import { openEgressRoute } from '@artist-watch/webhook-worker/adapters/egress/egress-route';
import { makeRequest } from '@artist-watch/webhook-worker/adapters/egress/node-request';
import { receiverAuthorities } from '@artist-watch/webhook-worker/adapters/egress/tls-over-tunnel';
import { IdleTunnels } from '@artist-watch/webhook-worker/adapters/egress/tunnel-agent';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';

const FIVE_MINUTES_MS = 300_000;
const answered = { kind: 'answered', status: 204 };

let authority: Certificate;
beforeAll(async () => {
  authority = await createAuthority();
});

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

/** Records the requested server name and whether a session was resumed. */
async function startTlsReceiver(certificate: Certificate, version: TlsVersion = 'TLSv1.3') {
  const resumed: boolean[] = [];
  const names: (string | false)[] = [];
  const server: Server = createServer({ ...certificate, minVersion: version, maxVersion: version });
  server.on('secureConnection', (socket: TLSSocket & { readonly servername: string | false }) => {
    resumed.push(socket.isSessionReused());
    names.push(socket.servername);
  });
  server.on('request', (request, answer) => request.resume().once('end', () => answer.writeHead(204).end()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { resumed, names, port: (server.address() as AddressInfo).port };
}

/** Each request uses a separate tunnel. */
async function startRequests({ ca = [authority.cert] }: { readonly ca?: string[] | undefined } = {}) {
  let nowMs = 0;
  const proxy = await startScriptedProxy();
  cleanups.push(() => proxy.close());
  const route = openEgressRoute(proxy.url, {
    monotonicMs: () => nowMs,
    connectTimeoutMs: 20_000,
    idleTimeoutMs: 5_000,
    maxAgeMs: 0,
    idleTunnels: new IdleTunnels(10),
    ca,
  });
  cleanups.push(() => route.close());
  const timeouts = { responseMs: 20_000, totalMs: 25_000 };
  return {
    /** All receivers have the same URL. */
    async request(port: number, host = '127.0.0.1') {
      proxy.reactWith({ leadsTo: port });
      const url = `https://${host}/`;
      return (await makeRequest(route, { url, headers: {}, body: Buffer.from('{}') }, timeouts)).result;
    },
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

describe.each<TlsVersion>(['TLSv1.2', 'TLSv1.3'])('a session of %s', (version) => {
  test('a TLS session is resumed by the next tunnel to the same receiver', async () => {
    const receiver = await startTlsReceiver(await createCertificate(authority), version);
    const { request } = await startRequests();
    for (let tunnel = 0; tunnel < 3; tunnel += 1) expect(await request(receiver.port)).toEqual(answered);
    expect(receiver.resumed).toEqual([false, true, true]);
  });

  test('a TLS session is not resumed five minutes after the last verified certificate, even if it was resumed in between', async () => {
    const receiver = await startTlsReceiver(await createCertificate(authority), version);
    const { request, pass } = await startRequests();
    await request(receiver.port);
    pass(FIVE_MINUTES_MS - 1);
    await request(receiver.port);
    pass(1);
    await request(receiver.port);
    await request(receiver.port);
    expect(receiver.resumed).toEqual([false, true, false, true]);
  });

  test('a TLS session is valid only for the host that created it', async () => {
    const receiver = await startTlsReceiver(await createCertificate(authority, ['a.test']), version);
    const { request } = await startRequests();
    expect(await request(receiver.port, 'a.test')).toEqual(answered);
    expect(await request(receiver.port, 'b.test')).toMatchObject({ kind: 'tls_failed' });
    expect(await request(receiver.port, 'a.test')).toEqual(answered);
  });

  test('if a receiver does not know a TLS session, its certificate is verified', async () => {
    const receiver = await startTlsReceiver(await createCertificate(authority), version);
    const { request } = await startRequests();
    await request(receiver.port);
    const impostor = await startTlsReceiver(await createCertificate(null), version);
    expect(await request(impostor.port)).toMatchObject({ kind: 'tls_failed' });
    const successor = await startTlsReceiver(await createCertificate(authority), version);
    expect(await request(successor.port)).toEqual(answered);
    expect(successor.resumed).toEqual([false]);
  });
});

describe('a TLS receiver', () => {
  const weak = { ciphers: 'DEFAULT@SECLEVEL=0' };
  test.each<[what: string, options: ServerOptions, error: string, algorithm: 'sha1' | 'sha256']>([
    ['a receiver that requires a client certificate', { requestCert: true }, 'client_certificate_required', 'sha256'],
    [
      'a receiver that requires a client certificate under TLS 1.2',
      { requestCert: true, maxVersion: 'TLSv1.2' },
      'tls_refused',
      'sha256',
    ],
    ['a receiver that speaks only HTTP/2', { ALPNProtocols: ['h2'] }, 'http2_required', 'sha256'],
    ['a receiver with a SHA-1 certificate', weak, 'certificate_too_weak', 'sha1'],
    [
      'a receiver that speaks only TLS 1.1',
      { ...weak, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' },
      'tls_failed',
      'sha256',
    ],
  ])('%s gets a specific error', async (_what, options, error, algorithm) => {
    const certificate = await createCertificate(authority, undefined, undefined, algorithm);
    const server = createTlsServer({ ...certificate, ca: authority.cert, rejectUnauthorized: true, ...options });
    server.on('tlsClientError', () => undefined);
    const { port, close } = await serve(server);
    cleanups.push(close);
    const { request } = await startRequests();
    const result = await request(port);
    expect(classifyAttempt(result)).toMatchObject({ kind: 'failed', blame: 'receiver', error });
  });

  test('a receiver whose host ends with a dot gets the server name without the dot (RFC 6066 section 3)', async () => {
    const receiver = await startTlsReceiver(await createCertificate(authority, ['a.test']));
    const { request } = await startRequests();
    expect(await request(receiver.port, 'a.test.')).toEqual(answered);
    expect(receiver.names).toEqual(['a.test']);
  });

  test('a certificate is accepted from an authority in WEBHOOK_CA_FILE or NODE_EXTRA_CA_CERTS, and from no unknown one', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-authorities-'));
    cleanups.push(() => rm(directory, { recursive: true }));
    const fileOf = async (name: string, { cert }: Certificate) => {
      const file = path.join(directory, name);
      await writeFile(file, cert);
      return file;
    };
    const [nodes, nobodys] = [await createAuthority("Node's"), await createAuthority("Nobody's")];
    const [own, extra] = [await fileOf('own.pem', authority), await fileOf('nodes.pem', nodes)];
    const { request } = await startRequests({ ca: receiverAuthorities(own, extra) });
    const answerOf = async (signer: Certificate) =>
      request((await startTlsReceiver(await createCertificate(signer))).port);
    expect(await answerOf(authority)).toEqual(answered);
    expect(await answerOf(nodes)).toEqual(answered);
    expect(await answerOf(nobodys)).toMatchObject({ kind: 'tls_failed' });

    // Node ignores an unreadable NODE_EXTRA_CA_CERTS.
    expect(receiverAuthorities(own, `${extra}.gone`)).toContain(authority.cert);
    expect(() => receiverAuthorities(`${own}.gone`, extra)).toThrow('ENOENT');
  });
});
