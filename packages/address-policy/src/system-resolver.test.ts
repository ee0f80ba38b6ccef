import { createSocket, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createSystemResolver } from './system-resolver.js';

describe('createSystemResolver', () => {
  const resolve = createSystemResolver({ timeoutMs: 2_000 });

  test('the names of this machine can be resolved', async () => {
    const addresses = await resolve('localhost');
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.every((address) => address === '::1' || address.startsWith('127.'))).toBe(true);
  });

  test('special-use names (RFC 6761) need no name server', async () => {
    expect(await resolve('receiver.invalid')).toEqual([]);
    expect(await resolve('receiver.localhost')).toEqual(['127.0.0.1', '::1']);
  });

  test('an aborted lookup is rejected immediately', async () => {
    await expect(resolve('localhost', AbortSignal.abort(new Error('client gone')))).rejects.toThrow('client gone');
  });
});

type Zone = (type: 'A' | 'AAAA', name: string) => { rcode: number; addresses: number[][] } | undefined;

const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

describe('with a name server,', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.close();
  });

  async function resolverFor(zone: Zone, timeoutMs = 300, searchList: readonly string[] = []) {
    const socket = createSocket('udp4');
    sockets.push(socket);
    let questions = 0;
    socket.on('message', (question, from) => {
      questions += 1;
      const response = responseTo(question, zone);
      if (response) socket.send(response, from.port, from.address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const resolve = createSystemResolver({
      timeoutMs,
      servers: [`127.0.0.1:${socket.address().port}`],
      searchList,
    });
    return { resolve, questions: () => questions };
  }

  test('a lookup returns all IPv4 and IPv6 addresses', async () => {
    const { resolve } = await resolverFor((type) => ({
      rcode: NO_ERROR,
      addresses:
        type === 'A'
          ? [
              [8, 8, 8, 8],
              [10, 0, 0, 1],
            ]
          : [[0x2a, ...Array(14).fill(0), 1]],
    }));
    expect([...(await resolve('a.test'))].sort()).toEqual(['10.0.0.1', '2a00::1', '8.8.8.8']);
  });

  test('a lookup succeeds if the name has only IPv4 or only IPv6 addresses', async () => {
    const { resolve } = await resolverFor((type) => ({
      rcode: NO_ERROR,
      addresses: type === 'A' ? [[8, 8, 8, 8]] : [],
    }));
    expect(await resolve('a.test')).toEqual(['8.8.8.8']);
  });

  test('the IPv4 addresses are returned if the IPv6 query gets no response', async () => {
    const { resolve } = await resolverFor(
      (type) => (type === 'A' ? { rcode: NO_ERROR, addresses: [[8, 8, 8, 8]] } : undefined),
      5_000,
    );
    expect(await resolve('a.test')).toEqual(['8.8.8.8']);
  });

  test.each([1, 2])(
    'a lost IPv4 query is repeated, so the lookup also returns the IPv4 addresses (%i lost queries)',
    async (lost) => {
      let queries = 0;
      const { resolve } = await resolverFor((type) => {
        if (type === 'AAAA') return { rcode: NO_ERROR, addresses: [[0x2a, ...Array(14).fill(0), 1]] };
        queries += 1;
        return queries > lost ? { rcode: NO_ERROR, addresses: [[8, 8, 8, 8]] } : undefined;
      }, 8_000);
      expect([...(await resolve('a.test'))].sort()).toEqual(['2a00::1', '8.8.8.8']);
    },
    20_000,
  );

  test('the IPv6 addresses are returned if the IPv4 query gets no response', async () => {
    const { resolve } = await resolverFor(
      (type) => (type === 'AAAA' ? { rcode: NO_ERROR, addresses: [[0x2a, ...Array(14).fill(0), 1]] } : undefined),
      2_000,
    );
    expect(await resolve('a.test')).toEqual(['2a00::1']);
  });

  test('a lookup fails after its timeout', async () => {
    const { resolve } = await resolverFor(() => undefined);
    await expect(resolve('a.test')).rejects.toThrow();
  });

  test('a server failure is not mistaken for a nonexistent name', async () => {
    const { resolve } = await resolverFor(() => ({ rcode: SERVER_FAILURE, addresses: [] }));
    await expect(resolve('a.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });

  test('an unreachable name server is reported as a failure, even if dns.lookup does not find the name', async () => {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    socket.close();
    const resolve = createSystemResolver({ timeoutMs: 2_000, servers: [`127.0.0.1:${port}`] });
    await expect(resolve('nowhere.example')).rejects.toThrow();
  });

  test.each([
    ['does not exist', NO_SUCH_NAME],
    ['has no addresses', NO_ERROR],
  ])('dns.lookup is not called for a name that %s', async (_how, rcode) => {
    const lookup = jest.spyOn(dns, 'lookup');
    const { resolve } = await resolverFor(() => ({ rcode, addresses: [] }), 20_000);
    expect(await resolve('a.test')).toEqual([]);
    expect(lookup).not.toHaveBeenCalled();
    lookup.mockRestore();
  });

  test('a name is tried in each domain of the search list, even if one domain fails', async () => {
    const { resolve, questions } = await resolverFor(
      (type, name) => {
        if (name === 'hooks.team.failing.test') return { rcode: SERVER_FAILURE, addresses: [] };
        const exists = name === 'hooks.team.cluster.test';
        return { rcode: exists ? NO_ERROR : NO_SUCH_NAME, addresses: exists && type === 'A' ? [[10, 0, 0, 1]] : [] };
      },
      2_000,
      ['failing.test', 'cluster.test', 'later.test'],
    );
    expect(await resolve('hooks.team')).toEqual(['10.0.0.1']);
    const before = questions();
    expect(await resolve('nowhere.team')).toEqual([]);
    expect(questions()).toBeGreaterThan(before);
  });

  test('concurrent callers share the lookup of a name', async () => {
    const { resolve, questions } = await resolverFor((type) => ({
      rcode: NO_ERROR,
      addresses: type === 'A' ? [[8, 8, 8, 8]] : [[0x2a, ...Array(14).fill(0), 1]],
    }));
    await Promise.all(Array.from({ length: 20 }, () => resolve('a.test')));
    expect(questions()).toBe(2);
  });
});

const HEADER_BYTES = 12;
const TYPE_AAAA = 28;

function nameIn(question: Buffer, end: number): string {
  const labels: string[] = [];
  for (let at = HEADER_BYTES; at < end - 1; at += 1 + (question[at] as number)) {
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] as number)));
  }
  return labels.join('.');
}

/** RFC 1035 section 4: the response repeats the question and adds one record per address. */
function responseTo(question: Buffer, zone: Zone): Buffer | undefined {
  const nameEnd = question.indexOf(0, HEADER_BYTES) + 1;
  const type = question.readUInt16BE(nameEnd);
  const answer = zone(type === TYPE_AAAA ? 'AAAA' : 'A', nameIn(question, nameEnd));
  if (!answer) return undefined;
  const header = Buffer.alloc(HEADER_BYTES);
  question.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | answer.rcode, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answer.addresses.length, 6);
  const records = answer.addresses.map((bytes) => {
    const record = Buffer.alloc(HEADER_BYTES);
    record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, Buffer.from(bytes)]);
  });
  return Buffer.concat([header, question.subarray(HEADER_BYTES, nameEnd + 4), ...records]);
}
