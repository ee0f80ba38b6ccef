import { describe, expect, test } from '@jest/globals';
import { picturePath, readPictureFile } from './picture-file.js';

const png = (width: number, height: number) => {
  const bytes = Buffer.alloc(33);
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};
const jpeg = (between: string, size = '00c800c8') => Buffer.from(`ffd8${between}ffc0001108${size}03ffd9`, 'hex');

describe('the first bytes determine the file type', () => {
  test.each([
    ['a PNG', png(300, 200), { type: 'image/png', width: 300, height: 200 }],
    ['a JPEG', jpeg('ffe00004abcd'), { type: 'image/jpeg', width: 200, height: 200 }],
    ['a JPEG with fill bytes', jpeg('fffffffffe0003aa'), { type: 'image/jpeg', width: 200, height: 200 }],
    ['a JPEG cut off before its dimensions', Buffer.from('ffd8ffe00010', 'hex'), undefined],
    ['a JPEG whose segments point beyond its end', Buffer.from('ffd8ffe0ffff0000000000', 'hex'), undefined],
    ['a JPEG whose segments have no length', Buffer.from('ffd8ffe00000ffe00000ffe00000', 'hex'), undefined],
    ['a JPEG that begins with its scan', Buffer.from('ffd8ffda000c030102030405', 'hex'), undefined],
    ['a picture that is too wide to display', png(60_000, 10), undefined],
    ['a JPEG that is too tall to display', jpeg('', 'ffff00c8'), undefined],
    ['a picture without pixels', png(0, 10), undefined],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'), undefined],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), undefined],
    ['nothing', Buffer.alloc(0), undefined],
  ])('%s', (_, bytes, file) => {
    expect(readPictureFile(bytes)).toEqual(file);
  });
});

test('only a valid platform content id becomes part of a URL', () => {
  const md5 = '5718f7c81c27e0b2417e2a4c45224f8a';
  expect(picturePath('deezer', 'release', md5)).toBe(`/images/cover/${md5}/500x500-000000-80-0-0.jpg`);
  expect(picturePath('spotify', 'artist', md5.slice(0, 24))).toBe(`/image/ab6761610000e5eb${md5.slice(0, 24)}`);
  for (const id of ['', '../admin', `${md5}/..`, md5.toUpperCase(), `${md5}\n`]) {
    expect([picturePath('deezer', 'artist', id), picturePath('spotify', 'release', id)]).toEqual([
      undefined,
      undefined,
    ]);
  }
});
