import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createCursorSeal } from './list-page.js';

const seal = createCursorSeal(Buffer.alloc(32, 1));
const content = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)));

describe('cursors', () => {
  test('a cursor contains what was sealed in it, and the same content always produces the same cursor', () => {
    fc.assert(
      fc.property(fc.string(), content, (scope, put) => {
        const cursor = seal.close(scope, put);
        expect(seal.open(scope, cursor)).toEqual(JSON.parse(JSON.stringify(put)));
        expect(seal.close(scope, put)).toBe(cursor);
        expect(cursor).toMatch(/^[\w-]+$/);
      }),
    );
  });

  test('a cursor is rejected if any character is changed, removed or added', () => {
    const cursor = seal.close('changes:acc_1', [1_700_000_000_000, 'chg_1']);
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \n.';
    for (let at = 0; at <= cursor.length; at += 1) {
      expect(seal.open('changes:acc_1', cursor.slice(0, at) + cursor.slice(at + 1))).toEqual(
        at === cursor.length ? [1_700_000_000_000, 'chg_1'] : undefined,
      );
      for (const character of characters) {
        if (character !== cursor[at]) {
          expect(
            seal.open('changes:acc_1', `${cursor.slice(0, at)}${character}${cursor.slice(at + 1)}`),
          ).toBeUndefined();
        }
        expect(seal.open('changes:acc_1', `${cursor.slice(0, at)}${character}${cursor.slice(at)}`)).toBeUndefined();
      }
    }
  });

  test('a cursor is rejected for a different account, list or encryption key', () => {
    const cursor = seal.close('changes:acc_1', [1]);
    expect(seal.open('changes:acc_2', cursor)).toBeUndefined();
    expect(seal.open('deliveries:acc_1', cursor)).toBeUndefined();
    expect(createCursorSeal(Buffer.alloc(32, 2)).open('changes:acc_1', cursor)).toBeUndefined();
  });

  test('a cursor encrypted with a retired key is accepted, so that clients keep their position after a key rotation', () => {
    const cursor = seal.close('changes after:acc_1', ['1', 'chg_1']);
    const rotated = createCursorSeal(Buffer.alloc(32, 2), [Buffer.alloc(32, 1)]);
    expect(rotated.open('changes after:acc_1', cursor)).toEqual(['1', 'chg_1']);
    expect(rotated.open('changes after:acc_2', cursor)).toBeUndefined();
  });

  test('a text that the API did not create is rejected as a cursor, whatever its length', () => {
    fc.assert(fc.property(fc.string({ maxLength: 2_000 }), (made) => seal.open('changes:acc_1', made) === undefined));
  });
});
