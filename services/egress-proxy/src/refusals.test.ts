import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createSystemResolver } from '@artist-watch/address-policy/system-resolver';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dialTcp } from './adapters/tunnel-host.js';
import { DialFailure, type DialFailureKind } from './application/dial.js';
import { compose, type EgressParts } from './compose.js';
import type { EgressConfig } from './config.js';
import { ProxyRig, TEST_CONFIG, textOf } from './testing/running-proxy.js';

/** RFC 1035 section 4.1.1 */
const HEADER_BYTES = 12;

let rig: ProxyRig;
beforeEach(() => {
  rig = new ProxyRig();
});
afterEach(() => rig.close());

function startProxy(config: Partial<EgressConfig> = {}, parts: EgressParts = {}) {
  return rig.start(compose({ ...TEST_CONFIG, ...config }, rig.stopSignal.signal, parts));
}

async function refusalOf(authority: string): Promise<[number | undefined, unknown]> {
  const { answer } = await rig.connect(authority);
  return [answer.statusCode, answer.headers['x-egress-error']];
}

describe('forbidden addresses', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '0.0.0.0',
    '0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '198.18.0.1',
    '203.0.113.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:5ef5:79fd::1]',
    '[fe80::1]',
    '[fe80::1%25eth0]',
    '[fd00:ec2::254]',
    '[fec0::1]',
    '[2001:db8::1]',
    'localhost',
    'LOCALHOST.',
    'x.localhost',
  ])('%s is rejected', async (host) => {
    await startProxy({ EGRESS_ALLOW_CIDRS: [] });
    expect(await refusalOf(`${host}:8080`)).toEqual([403, 'forbidden_address']);
  });

  test('requests to open and closed ports on a forbidden address get the same response, and no connection is made', async () => {
    let connections = 0;
    await startProxy({ EGRESS_ALLOW_CIDRS: [] });
    const { port: open } = await rig.listen(() => {
      connections += 1;
    });
    const closed = await rig.closedPort();
    const [onOpen, onClosed] = await Promise.all(
      [open, closed].map(async (port) => textOf(await rig.raw(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`))),
    );
    expect(onOpen).toBe(onClosed);
    expect(onOpen).not.toMatch(/127|loopback|private/);
    expect(connections).toBe(0);
  });

  test.each([
    ['127.0.0.1'],
    ['[::1]'],
    ['[::ffff:127.0.0.1]'],
    ['[::127.0.0.1]'],
    ['[64:ff9b::7f00:1]'],
    ['[2002:7f00:1::]'],
    ['2130706433'],
    ['mixed.example'],
    ['internal.example'],
  ])(
    'requests to any port on %s get the same response as other forbidden addresses, without a connection attempt',
    async (host) => {
      let dialled = 0;
      const dial = () => {
        dialled += 1;
        return Promise.reject(new DialFailure('refused'));
      };
      const answers: Readonly<Record<string, readonly string[]>> = {
        'mixed.example': ['8.8.8.8', '127.0.0.1'],
        'internal.example': ['::ffff:10.0.0.1'],
      };
      await startProxy({ EGRESS_ALLOW_CIDRS: [] }, { dial, resolve: async (name) => answers[name] ?? [] });
      const { port: open } = await rig.listen(() => undefined);
      const said = [];
      for (const authority of ['169.254.169.254:80', `${host}:${open}`, `${host}:${await rig.closedPort()}`]) {
        said.push(textOf(await rig.raw(`CONNECT ${authority} HTTP/1.1\r\n\r\n`)));
      }
      const [reference, ...others] = await Promise.all(said);
      expect(reference).toContain('forbidden_address');
      expect(others).toEqual([reference, reference]);
      expect(dialled).toBe(0);
    },
  );

  test('a request to a name with a forbidden address gets the same response as a request to the address', async () => {
    await startProxy({ EGRESS_ALLOW_CIDRS: [] }, { resolve: async () => ['10.0.0.1'] });
    const [byName, byAddress] = await Promise.all(
      ['internal.example', '127.0.0.1'].map(async (host) =>
        textOf(await rig.raw(`CONNECT ${host}:443 HTTP/1.1\r\n\r\n`)),
      ),
    );
    expect(byName).toBe(byAddress);
  });

  test('rejections are counted by reason', async () => {
    await startProxy({ EGRESS_ALLOW_CIDRS: [] });
    await refusalOf('127.0.0.1:443');
    await rig.until(async () => (await rig.metric('artist_watch_egress_tunnels_total', 'forbidden_address')) === 1);
  });
});

test.each([0, 1, 22, 25, 53, 81, 444, 1023])('port %i is rejected for every host', async (port) => {
  await startProxy();
  expect(await refusalOf(`127.0.0.1:${port}`)).toEqual([403, 'forbidden_port']);
  expect(await refusalOf(`hooks.example:${port}`)).toEqual([403, 'forbidden_port']);
});

describe('receiver errors', () => {
  test('the receiver is blamed for a name that does not exist', async () => {
    await startProxy({}, { resolve: async () => [] });
    expect(await refusalOf('nowhere.example:443')).toEqual([502, 'name_not_found']);
  });

  test('the receiver is blamed for a name under .invalid, without a lookup', async () => {
    await startProxy();
    expect(await refusalOf('nowhere.invalid:443')).toEqual([502, 'name_not_found']);
  });

  test('the receiver is blamed for a name whose name servers fail', async () => {
    await startProxy({}, { resolve: failingFor('broken.example') });
    expect(await refusalOf('broken.example:443')).toEqual([502, 'name_lookup_failed']);
  });

  test('the receiver is blamed for a name whose name servers do not respond', async () => {
    const resolve: EgressParts['resolve'] = async (name, signal) =>
      name === 'silent.example' ? hangUntil(signal) : [];
    await startProxy({ EGRESS_CONNECT_TIMEOUT: 30 }, { resolve });
    expect(await refusalOf('silent.example:443')).toEqual([502, 'name_lookup_failed']);
  });

  test('the receiver is blamed for a port without a listener', async () => {
    await startProxy();
    expect(await refusalOf(`127.0.0.1:${await rig.closedPort()}`)).toEqual([502, 'connection_refused']);
  });

  test('the receiver is blamed for a host that does not respond', async () => {
    await startProxy({ EGRESS_CONNECT_TIMEOUT: 30 }, { dial: (_address, _port, signal) => hangUntil(signal) });
    expect(await refusalOf('127.0.0.1:443')).toEqual([504, 'connection_timed_out']);
  });
});

describe('hosts whose addresses all fail', () => {
  test.each<[DialFailureKind[], number, string]>([
    [['refused'], 502, 'connection_refused'],
    [['unreachable', 'refused'], 502, 'connection_refused'],
    [['refused', 'timed_out'], 504, 'connection_timed_out'],
    [['unreachable'], 502, 'connection_failed'],
    [['refused', 'exhausted'], 503, 'overloaded'],
    [['not_permitted'], 500, 'internal'],
  ])('the most informative failure is reported: %j as %i %s', async (kinds, status, token) => {
    const addresses = kinds.map((_kind, index) => `127.0.0.${index + 1}`);
    await startProxy(
      {},
      {
        resolve: async () => addresses,
        dial: (address) => Promise.reject(new DialFailure(kinds[addresses.indexOf(address.text)] ?? 'unreachable')),
      },
    );
    expect(await refusalOf('several.example:443')).toEqual([status, token]);
  });

  test('a bug in the proxy causes a 500 response, which does not reveal the error message', async () => {
    await startProxy({}, { dial: () => Promise.reject(new TypeError('a bug')) });
    const { answer, body } = await rig.connect('127.0.0.1:443');
    expect([answer.statusCode, answer.headers['x-egress-error']]).toEqual([500, 'internal']);
    expect(body).not.toContain('a bug');
  });
});

test.each([
  ['EMFILE', 503, 'overloaded'],
  ['ENOMEM', 503, 'overloaded'],
  ['ECONNREFUSED', 500, 'internal'],
])('a lookup that fails with %s is blamed on the proxy, even if other lookups succeed', async (code, status, token) => {
  const resolve = async (name: string) => {
    if (name === 'well.example') return [];
    throw Object.assign(new Error('a look-up'), { code });
  };
  await startProxy({}, { resolve });
  await refusalOf('well.example:443');
  expect(await refusalOf('a.example:443')).toEqual([status, token]);
});

describe('our own name servers', () => {
  test('our name servers are blamed during an outage, from the first failed lookup until they respond again', async () => {
    let isDown = true;
    const resolve = async () => {
      if (isDown) throw new Error('ETIMEOUT');
      return [];
    };
    let nowMs = 0;
    await startProxy({}, { resolve, monotonicMs: () => nowMs });
    const tokenOf = async (name: string) => {
      nowMs += 10_000;
      return (await refusalOf(`${name}.example:443`))[1];
    };
    for (const name of ['a', 'b', 'a']) expect(await tokenOf(name)).toBe('internal');
    isDown = false;
    for (const name of ['a', 'b']) expect(await tokenOf(name)).toBe('name_not_found');
    isDown = true;
    expect(await tokenOf('a')).toBe('internal');
  });

  test('our name servers are not blamed for names in broken zones, and are tested at most once per second', async () => {
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return failingFor('one.example', 'other.example')(name);
    };
    let nowMs = 0;
    await startProxy({}, { resolve, monotonicMs: () => nowMs });
    for (let attempt = 0; attempt < 20; attempt += 1) {
      nowMs += 500;
      expect((await refusalOf(`hook-${attempt}.one.example:443`))[1]).toBe('name_lookup_failed');
      expect((await refusalOf(`hook-${attempt}.other.example:443`))[1]).toBe('name_lookup_failed');
    }
    const canaries = asked.filter((name) => name.endsWith('.com.'));
    expect(canaries).toHaveLength(10);
    expect(new Set(canaries).size).toBe(10);
  });

  test('our name servers are not blamed for a nonexistent name if only queries for the root zone get no response', async () => {
    const servers = [await nameServer((name) => (name === '' ? 'silent' : 'no such name'))];
    await startProxy({}, { resolve: createSystemResolver({ timeoutMs: 2_000, servers }) });
    for (const name of ['a', 'b', 'a', 'c']) {
      expect(await refusalOf(`${name}.nowhere.example:443`)).toEqual([502, 'name_not_found']);
    }
  });

  test('our name servers are not blamed for a nonexistent name if one domain in the search list does not respond', async () => {
    const servers = [await nameServer((name) => (name.includes('silent') ? 'silent' : 'no such name'))];
    const searchList = ['silent.example'];
    await startProxy({}, { resolve: createSystemResolver({ timeoutMs: 1_000, servers, searchList }) });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await refusalOf('nowhere.example:443')).toEqual([502, expect.stringMatching(/^name_/)]);
    }
  });

  test.each(['failure', 'silent'] as const)(
    'our name servers are blamed if the result of every lookup is "%s"',
    async (answer) => {
      const servers = [await nameServer(() => answer)];
      await startProxy({}, { resolve: createSystemResolver({ timeoutMs: 300, servers }) });
      expect(await refusalOf('hooks.example.com:443')).toEqual([500, 'internal']);
    },
  );

  /** `answerFor` receives names in wire format ('' is the root). */
  async function nameServer(answerFor: (name: string) => 'no such name' | 'failure' | 'silent'): Promise<string> {
    const socket = createSocket('udp4');
    rig.onClose(() => socket.close());
    socket.on('message', (question, from) => {
      const answer = answerFor(question.toString('latin1', HEADER_BYTES, question.indexOf(0, HEADER_BYTES)));
      if (answer === 'silent') return;
      const reply = Buffer.from(question);
      reply.writeUInt16BE(answer === 'failure' ? 0x8182 : 0x8183, 2);
      socket.send(reply, from.port, from.address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return `127.0.0.1:${socket.address().port}`;
  }
});

describe('our own network', () => {
  const hosts = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.example`);

  test.each([
    ['unreachable', 'connection_failed'],
    ['silent', 'connection_timed_out'],
  ])('if all known hosts are %s, our network is blamed until one of them responds again', async (how, token) => {
    let isLost = false;
    const dial: EgressParts['dial'] = (address, port, signal) => {
      if (!isLost) return dialTcp(address, port, signal);
      return how === 'silent' ? hangUntil(signal) : Promise.reject(new DialFailure('unreachable'));
    };
    await startProxy({ EGRESS_CONNECT_TIMEOUT: 300 }, { dial, resolve: async () => ['127.0.0.1'] });
    const { port } = await rig.listen(() => undefined);
    for (const host of hosts) expect((await rig.connect(`${host}:${port}`)).answer.statusCode).toBe(200);
    isLost = true;
    const tokens = [];
    for (const host of [hosts[0], ...hosts, 'new.example']) tokens.push((await refusalOf(`${host}:${port}`))[1]);
    expect(tokens).toEqual([...Array(5).fill(token), 'internal', 'internal', 'internal']);
    isLost = false;
    expect(await refusalOf(`${hosts[0]}:${await rig.closedPort()}`)).toEqual([502, 'connection_refused']);
    isLost = true;
    expect((await refusalOf(`${hosts[0]}:${port}`))[1]).toBe(token);
  });

  test('our network is not blamed for one unreachable host, or for many hosts that were never reached', async () => {
    const { port } = await rig.listen(() => undefined);
    let isLost = false;
    const dial: EgressParts['dial'] = (...how) =>
      isLost ? Promise.reject(new DialFailure('unreachable')) : dialTcp(...how);
    await startProxy({}, { dial, resolve: async () => ['127.0.0.1'] });
    for (const host of hosts) await rig.connect(`${host}:${port}`);
    isLost = true;
    for (let attempt = 0; attempt < 20; attempt += 1) {
      expect((await refusalOf(`${hosts[0]}:${port}`))[1]).toBe('connection_failed');
      expect((await refusalOf(`gone-${attempt}.example:${port}`))[1]).toBe('connection_failed');
    }
  });

  test('our network is not blamed for five unreachable hosts if a sixth host accepts a test connection', async () => {
    const { authorities, goneFor, time } = await startWithHosts(6);
    let asked = 0;
    const closed: Promise<unknown>[] = [];
    authorities.at(-1)?.server.on('connection', (socket) => {
      asked += 1;
      closed.push(once(socket, 'close'));
      socket.end();
    });
    const dead = authorities.slice(0, 5);
    for (const { port } of dead) goneFor.add(port);
    for (let attempt = 0; attempt < 4; attempt += 1) {
      time.ms += 60_000;
      for (const { authority } of dead) expect(await refusalOf(authority)).toEqual([502, 'connection_failed']);
    }
    expect(asked).toBe(4);
    await Promise.all(closed);
  });

  test('our network is blamed for at most one day if only five hosts were ever reached and all are unreachable', async () => {
    const { authorities, goneFor, time } = await startWithHosts(5);
    for (const { port } of authorities) goneFor.add(port);
    time.ms += 60_000;
    for (const { authority } of authorities.slice(0, 4))
      expect((await refusalOf(authority))[1]).toBe('connection_failed');
    for (const { authority } of authorities.toReversed()) expect((await refusalOf(authority))[1]).toBe('internal');
    time.ms += 24 * 60 * 60 * 1_000;
    for (const { authority } of authorities) expect((await refusalOf(authority))[1]).toBe('connection_failed');
  });

  test('our network is blamed for the whole outage if every known host is unreachable', async () => {
    const { authorities, goneFor, time } = await startWithHosts(7);
    for (const { port } of authorities) goneFor.add(port);
    time.ms += 60_000;
    for (const { authority } of authorities) await refusalOf(authority);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      time.ms += 60_000;
      for (const { authority } of authorities) expect(await refusalOf(authority)).toEqual([500, 'internal']);
    }
    goneFor.clear();
    expect((await rig.connect(authorities[6]?.authority ?? '')).answer.statusCode).toBe(200);
  });

  test('our network is not blamed for five hosts that fail after all other hosts were reached', async () => {
    const giveUp = new AbortController();
    const { authorities, goneFor, time, dialled } = await startWithHosts(100, giveUp.signal);
    const [dead, well] = [authorities.slice(0, 5), authorities.slice(5)];
    for (const { port } of dead) goneFor.add(port);
    time.ms += 60_000;
    const given = dead.map(({ authority }) => refusalOf(authority));
    await rig.until(() => dialled.length === 105);
    time.ms += 20;
    for (const { authority } of well) expect((await rig.connect(authority)).answer.statusCode).toBe(200);
    time.ms += 8_000;
    giveUp.abort();
    expect(await Promise.all(given)).toEqual(Array(5).fill([502, 'connection_failed']));
    expect(dialled).toHaveLength(200);
  });

  test('our network is not blamed for hosts with one silent address and one address that refuses connections', async () => {
    let isLost = false;
    const dial: EgressParts['dial'] = (address, port, signal) => {
      if (!isLost) return dialTcp(address, port, signal);
      return Promise.reject(new DialFailure(address.text === '127.0.0.1' ? 'refused' : 'timed_out'));
    };
    await startProxy({}, { dial, resolve: async () => ['127.0.0.1', '127.0.0.2'] });
    const { port } = await rig.listen(() => undefined);
    for (const host of hosts) await rig.connect(`${host}:${port}`);
    isLost = true;
    for (const host of hosts) expect((await refusalOf(`${host}:${port}`))[1]).toBe('connection_timed_out');
  });

  /** Starts a proxy that has already reached `count` hosts. Ports in `goneFor` become unreachable. */
  async function startWithHosts(count: number, giveUp = AbortSignal.abort()) {
    const time = { ms: 0 };
    const goneFor = new Set<number>();
    const dialled: number[] = [];
    const dial: EgressParts['dial'] = async (address, port, signal) => {
      dialled.push(port);
      if (!goneFor.has(port)) return dialTcp(address, port, signal);
      if (!giveUp.aborted) await once(giveUp, 'abort');
      throw new DialFailure('unreachable');
    };
    // The timeout is long to allow for slow machines. The test itself ends pending connections.
    const patient = { EGRESS_MAX_TUNNELS: 1_000, EGRESS_CONNECT_TIMEOUT: 120_000 };
    await startProxy(patient, { dial, resolve: async () => ['127.0.0.1'], monotonicMs: () => time.ms });
    const authorities = [];
    for (let index = 0; index < count; index += 1) {
      const { port, server } = await rig.listen(() => undefined);
      authorities.push({ authority: `host-${index}.example:${port}`, port, server });
    }
    for (const { authority } of authorities) expect((await rig.connect(authority)).answer.statusCode).toBe(200);
    return { authorities, goneFor, time, dialled };
  }
});

describe('requests to the proxy', () => {
  test.each([
    ['no port', 'CONNECT example.com HTTP/1.1\r\n\r\n'],
    ['an empty port', 'CONNECT example.com: HTTP/1.1\r\n\r\n'],
    ['a port that is out of range', 'CONNECT example.com:65536 HTTP/1.1\r\n\r\n'],
    ['a port that is not a number', 'CONNECT example.com:https HTTP/1.1\r\n\r\n'],
    ['no host', 'CONNECT :443 HTTP/1.1\r\n\r\n'],
    ['IPv6 without brackets', 'CONNECT ::1:443 HTTP/1.1\r\n\r\n'],
    ['user-info', 'CONNECT user@example.com:443 HTTP/1.1\r\n\r\n'],
    ['a path', 'CONNECT example.com:443/x HTTP/1.1\r\n\r\n'],
    ['a URL instead of a host and port', 'CONNECT http://example.com:443 HTTP/1.1\r\n\r\n'],
    ['an invalid name', 'CONNECT a..b:443 HTTP/1.1\r\n\r\n'],
    ['an invalid IP address', 'CONNECT 1.2.3.4.5:443 HTTP/1.1\r\n\r\n'],
    ['non-ASCII characters', 'CONNECT １２７.0.0.1:443 HTTP/1.1\r\n\r\n'],
    ['a protocol other than HTTP', 'EHLO example.com\r\n\r\n'],
    ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n'],
    [
      'both Content-Length and Transfer-Encoding',
      'POST http://127.0.0.1:8080/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('a request with %s gets a 400', async (_what, text) => {
    await startProxy();
    const answer = await textOf(await rig.raw(text));
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nX-Egress-Error: bad_request\r\n/);
  });

  test.each([
    'GET / HTTP/1.1',
    'GET http://127.0.0.1:8080/ HTTP/1.1',
    'POST http://example.com/ HTTP/1.1',
    'OPTIONS http://example.com/ HTTP/1.1',
    'HEAD https://example.com/ HTTP/1.1',
  ])('a request with a method other than CONNECT gets a 405: %s', async (line) => {
    await startProxy();
    const answer = await textOf(await rig.raw(`${line}\r\nHost: x\r\n\r\n`));
    expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\nAllow: CONNECT\r\nX-Egress-Error: bad_request\r\n/);
  });

  test('OPTIONS * gets a 204, so it can be used as a health check', async () => {
    await startProxy();
    expect(await textOf(await rig.raw('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'))).toMatch(
      /^HTTP\/1\.1 204 /,
    );
  });

  test('a request with headers over 8 KiB gets a 431', async () => {
    await startProxy();
    const answer = await textOf(await rig.raw(`CONNECT a.example:443 HTTP/1.1\r\nX: ${'x'.repeat(9_000)}\r\n\r\n`));
    expect(answer).toMatch(/^HTTP\/1\.1 431 .*\r\nX-Egress-Error: bad_request\r\n/);
  });
});

describe('tunnels at the limit', () => {
  test('a full proxy rejects new tunnels until an open tunnel ends', async () => {
    await startProxy({ EGRESS_MAX_TUNNELS: 2 });
    const { port } = await rig.listen((socket) => socket.resume().on('end', () => socket.end()));
    const first = await rig.connect(`127.0.0.1:${port}`);
    await rig.connect(`127.0.0.1:${port}`);
    expect(await refusalOf(`127.0.0.1:${port}`)).toEqual([503, 'overloaded']);
    first.socket.destroy();
    await rig.until(async () => (await rig.metric('artist_watch_egress_open_tunnels')) === 1);
    expect((await rig.connect(`127.0.0.1:${port}`)).answer.statusCode).toBe(200);
  });
});

test('a rejected client that keeps sending can still read the response', async () => {
  await startProxy({ EGRESS_ALLOW_CIDRS: [] });
  const client = await rig.raw(`CONNECT 127.0.0.1:443 HTTP/1.1\r\n\r\n${'x'.repeat(100_000)}`, { allowHalfOpen: true });
  expect(await textOf(client)).toContain('X-Egress-Error: forbidden_address');
  client.end();
  await once(client, 'close');
});

/** Lookups fail for these names and their subdomains. All other names don't exist. */
function failingFor(...names: readonly string[]): (name: string) => Promise<string[]> {
  return async (name) => {
    if (names.some((one) => name === one || name.endsWith(`.${one}`))) throw new Error('SERVFAIL');
    return [];
  };
}

function hangUntil(signal: AbortSignal | undefined): Promise<Socket & string[]> {
  return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}
