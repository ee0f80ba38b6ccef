import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { HostsFile, parseHostsFile } from './hosts-file.js';
import { createSystemResolver } from './system-resolver.js';

describe('createSystemResolver', () => {
  const resolve = createSystemResolver({ timeoutMs: 2_000 });

  test('knows the names of this machine', async () => {
    const addresses = await resolve('localhost');
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.every((address) => address === '::1' || address.startsWith('127.'))).toBe(true);
  });

  test('names that RFC 6761 sets apart need no name server', async () => {
    expect(await resolve('receiver.invalid')).toEqual([]);
    expect(await resolve('receiver.localhost')).toEqual(['127.0.0.1', '::1']);
  });

  test('a look-up that is given up rejects at once', async () => {
    await expect(resolve('localhost', AbortSignal.abort(new Error('client gone')))).rejects.toThrow('client gone');
  });
});

describe('the hosts file', () => {
  test('gives every address of a name, in any letter case, and no comment', () => {
    const names = parseHostsFile('127.0.0.1 localhost Box # home\n\n# 9.9.9.9 x\n::1\tlocalhost\r\n10.0.0.9  box');
    expect(Object.fromEntries(names)).toEqual({ localhost: ['127.0.0.1', '::1'], box: ['127.0.0.1', '10.0.0.9'] });
  });

  test('is read again when it has changed, and is not missed when there is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
    const path = join(folder, 'hosts');
    const file = new HostsFile(path);
    expect(await file.addressesOf('a.example')).toEqual([]);
    await writeFile(path, '10.0.0.1 a.example');
    await utimes(path, 1, 1);
    expect(await file.addressesOf('a.example')).toEqual(['10.0.0.1']);
    await writeFile(path, '10.0.0.2 a.example');
    await utimes(path, 2, 2);
    expect(await file.addressesOf('a.example')).toEqual(['10.0.0.2']);
    await rm(folder, { recursive: true });
  });
});
