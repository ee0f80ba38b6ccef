import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WholeMessages } from './whole-messages.js';

function message(kind: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5, kind, 'latin1');
  head.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

/** Takes the bytes in pieces that are written over afterwards, as a read buffer is. @returns copies of what came out. */
function received(pieces: readonly Buffer[]): Buffer[] {
  const whole: Buffer[] = [];
  const messages = new WholeMessages((bytes) => whole.push(Buffer.from(bytes)));
  for (const piece of pieces) {
    const given = Buffer.from(piece);
    messages.take(given);
    given.fill(0xff);
  }
  return whole;
}

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((from, index) => bytes.subarray(from, ends[index] ?? bytes.length));
}

const bodies = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 20 });

describe('WholeMessages', () => {
  test('gives every byte in order, in whole messages only, however they are cut', () => {
    fc.assert(
      fc.property(bodies, fc.array(fc.nat(), { maxLength: 12 }), (given, places) => {
        const messages = given.map((body) => message('D', body));
        const ends = new Set(messages.map((_, index) => Buffer.concat(messages.slice(0, index + 1)).length));
        const sent = Buffer.concat(messages);
        const whole = received(cutAt(sent, places));
        expect(Buffer.concat(whole).equals(sent)).toBe(true);
        let end = 0;
        for (const part of whole) {
          end += part.length;
          expect(ends).toContain(end);
        }
      }),
    );
  });

  test('gives a message as soon as it is whole, and what comes behind it later', () => {
    const [first, second] = [message('1', Buffer.alloc(0)), message('D', Buffer.from('row'))];
    const whole = received([Buffer.concat([first, second.subarray(0, 3)]), second.subarray(3, 7), second.subarray(7)]);
    expect(whole).toEqual([first, second]);
  });

  test.each([100_000, 3_000_000])('puts a message of %i bytes together, and short ones after it', (length) => {
    const long = message('D', Buffer.alloc(length, 'x'));
    const short = message('Z', Buffer.from('I'));
    const pieces: Buffer[] = [];
    for (let at = 0; at < long.length; at += 65_536) pieces.push(long.subarray(at, at + 65_536));
    expect(
      Buffer.concat(received([...pieces, short, ...pieces, short])).equals(Buffer.concat([long, short, long, short])),
    ).toBe(true);
  });
});
