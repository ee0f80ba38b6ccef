import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { HostsFile, parseHostsFile } from './system-resolver.js';

describe('lookups in the hosts file', () => {
  test('the hosts file returns every address of a name, ignoring letter case and comments', () => {
    const names = parseHostsFile('127.0.0.1 localhost Box # home\n\n# 9.9.9.9 x\n::1\tlocalhost\r\n10.0.0.9  box');
    expect(Object.fromEntries(names)).toEqual({ localhost: ['127.0.0.1', '::1'], box: ['127.0.0.1', '10.0.0.9'] });
  });

  test('the hosts file may be missing, and is read again after it changes', async () => {
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
