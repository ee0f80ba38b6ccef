import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { compose } from './compose.js';
import { type EgressConfig, readConfig } from './config.js';
import { ProxyRig, TEST_CONFIG } from './testing/running-proxy.js';

let rig: ProxyRig;
beforeEach(() => {
  rig = new ProxyRig();
});
afterEach(() => rig.close());

const startProxy = (config: Partial<EgressConfig>) =>
  rig.start(compose({ ...TEST_CONFIG, ...config }, rig.stopSignal.signal));
const basic = (credentials: string) => ({
  'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
});
const clientsIn = (text: string) => readConfig({ EGRESS_CLIENT_CIDRS: text }).EGRESS_CLIENT_CIDRS;

async function connectWith(headers: Record<string, string> = {}) {
  let reached = 0;
  const { port } = await rig.listen(() => {
    reached += 1;
  });
  const { answer, body } = await rig.connect(`127.0.0.1:${port}`, headers);
  return { status: answer.statusCode, headers: answer.headers, body, reached: () => reached };
}

describe('EGRESS_CLIENT_CIDRS', () => {
  test('a client in one of the ranges is accepted', async () => {
    await startProxy({ EGRESS_CLIENT_CIDRS: clientsIn('10.0.0.0/8,127.0.0.0/8') });
    expect((await connectWith()).status).toBe(200);
  });

  test('an IPv4 client on a dual-stack socket is matched against the IPv4 ranges', async () => {
    await startProxy({ EGRESS_CLIENT_CIDRS: clientsIn('127.0.0.0/8'), LISTEN_HOST: '::' });
    expect((await connectWith()).status).toBe(200);
  });

  test('a client outside the ranges gets a 403 and reaches no destination', async () => {
    await startProxy({ EGRESS_CLIENT_CIDRS: clientsIn('10.0.0.0/8') });
    const refused = await connectWith();
    expect(refused.status).toBe(403);
    expect(refused.headers['x-egress-error']).toBeUndefined();
    expect(refused.reached()).toBe(0);
    expect(await rig.metric('artist_watch_egress_clients_refused_total', 'address')).toBe(1);
  });
});

describe('EGRESS_CLIENT_CREDENTIALS', () => {
  const clientCredentials = ['workers:the-current-password', 'workers:the-next:pässword'];

  test.each(clientCredentials)('a client with valid credentials is accepted: %s', async (credentials) => {
    await startProxy({ EGRESS_CLIENT_CREDENTIALS: clientCredentials });
    expect((await connectWith(basic(credentials))).status).toBe(200);
    expect(
      (await connectWith({ 'proxy-authorization': basic(credentials)['Proxy-Authorization'].replace('B', 'b') }))
        .status,
    ).toBe(200);
  });

  test.each([
    ['no credentials', {}],
    ['other credentials', basic('workers:another-password')],
    ['truncated credentials', basic('workers:the-current-passwor')],
    ['both credentials together', basic(clientCredentials.join(','))],
    ['an empty pair', basic(':')],
    ['empty credentials', { 'Proxy-Authorization': 'Basic ' }],
    [
      'a different scheme',
      { 'Proxy-Authorization': `Bearer ${Buffer.from('workers:the-current-password').toString('base64')}` },
    ],
    ['credentials in plain text', { 'Proxy-Authorization': 'Basic workers:the-current-password' }],
    [
      'only credentials for the destination',
      { Authorization: basic('workers:the-current-password')['Proxy-Authorization'] },
    ],
  ])('a client with %s gets a 407 and reaches no destination', async (_what, headers) => {
    await startProxy({ EGRESS_CLIENT_CREDENTIALS: clientCredentials });
    const refused = await connectWith(headers as Record<string, string>);
    expect([refused.status, refused.headers['proxy-authenticate']]).toEqual([
      407,
      'Basic realm="egress", charset="UTF-8"',
    ]);
    expect(refused.headers['x-egress-error']).toBeUndefined();
    expect(JSON.stringify(refused)).not.toContain('password');
    expect(refused.reached()).toBe(0);
  });

  test('valid credentials are required in addition to an allowed address', async () => {
    await startProxy({ EGRESS_CLIENT_CREDENTIALS: clientCredentials, EGRESS_CLIENT_CIDRS: clientsIn('10.0.0.0/8') });
    expect((await connectWith(basic('workers:the-current-password'))).status).toBe(403);
  });
});

describe('missing or invalid client restrictions', () => {
  test.each([undefined, '0.0.0.0', '0', '::', '::0', '::ffff:0.0.0.0'])(
    'a proxy without client restrictions does not listen on %s',
    (LISTEN_HOST) => {
      expect(() => readConfig({ LISTEN_HOST })).toThrow(
        'Invalid settings: EGRESS_CLIENT_CIDRS and EGRESS_CLIENT_CREDENTIALS are both missing, so anyone who can reach ' +
          'the port could use this proxy: set one of them, or set LISTEN_HOST to an address such as 127.0.0.1.',
      );
      expect(readConfig({ LISTEN_HOST, EGRESS_CLIENT_CIDRS: '10.0.0.0/8' }).EGRESS_CLIENT_CIDRS).toHaveLength(1);
      expect(readConfig({ LISTEN_HOST, EGRESS_CLIENT_CREDENTIALS: 'workers:sixteen-or-longer' })).toBeDefined();
    },
  );

  test.each(['127.0.0.1', '::1', '10.1.2.3', 'localhost'])(
    'a proxy without client restrictions may listen on the single address %s',
    (LISTEN_HOST) => {
      expect(readConfig({ LISTEN_HOST }).LISTEN_HOST).toBe(LISTEN_HOST);
    },
  );

  test.each(['workers', ':sixteen-or-longer', 'workers:too-short', 'workers:sixteen-or-longer,x'])(
    'the invalid credentials %s are rejected without being printed',
    (EGRESS_CLIENT_CREDENTIALS) => {
      expect(() => readConfig({ EGRESS_CLIENT_CREDENTIALS })).toThrow(
        'Invalid settings: EGRESS_CLIENT_CREDENTIALS is not user:password with a password of at least 16 characters and no comma.',
      );
    },
  );
});
