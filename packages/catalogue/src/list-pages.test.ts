import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readWholeList } from './list-pages.js';
import { badAnswer, notFound } from './platform-error.js';

const items = (count: number) => Array.from({ length: count }, (_, index) => `item ${index}`);

function listOf(all: readonly string[], greatestPage = 100) {
  return {
    what: 'the list',
    pageSize: 100,
    idOf: (item: string) => item,
    readPage: async (offset: number, limit: number) => ({
      items: all.slice(offset, offset + Math.min(limit, greatestPage)),
      total: all.length,
    }),
  };
}

describe('reading a whole list', () => {
  test('gives every item once, in order, whatever size of page the platform keeps to', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 350 }), fc.integer({ min: 1, max: 120 }), async (count, page) => {
        expect(await readWholeList(listOf(items(count), page))).toEqual(items(count));
      }),
    );
  });

  test.each([
    ['an item is missing from a page', 250, (page: string[]) => page.filter((item) => item !== 'item 120')],
    ['an item is there twice in place of another', 250, (page: string[]) => page.with(-1, page[0] as string)],
    ['a later page is empty', 250, (page: string[], offset: number) => (offset > 0 ? [] : page)],
    ['the first page is empty', 50, () => []],
  ])('throws when %s', async (_, count, spoil) => {
    const whole = listOf(items(count));
    const list = {
      ...whole,
      readPage: async (offset: number, limit: number) => {
        const page = await whole.readPage(offset, limit);
        return { ...page, items: spoil([...page.items], offset) };
      },
    };
    await expect(readWholeList(list)).rejects.toMatchObject({ failure: { kind: 'bad_answer' } });
  });

  test('throws when the total changes between two pages, as when a release is removed meanwhile', async () => {
    const whole = listOf(items(150));
    const list = {
      ...whole,
      readPage: async (offset: number, limit: number) => ({
        ...(await whole.readPage(offset, limit)),
        total: offset === 0 ? 150 : 149,
      }),
    };
    await expect(readWholeList(list)).rejects.toThrow('totals of 150 and 149');
  });

  test('a list that does not add up is read once more, and counts when it does then', async () => {
    const whole = listOf(items(150));
    let requests = 0;
    const list = {
      ...whole,
      readPage: async (offset: number, limit: number) => {
        requests += 1;
        const page = await whole.readPage(offset, limit);
        return requests === 1 ? { ...page, total: 149 } : page;
      },
    };
    expect(await readWholeList(list)).toEqual(items(150));
    expect(requests).toBe(4);
  });

  test('a total beyond all reason sets off no flood of requests', async () => {
    let requests = 0;
    const list = { ...listOf([]), readPage: async () => ({ items: [`item ${requests++}`], total: 1_000_000 }) };
    await expect(readWholeList(list)).rejects.toThrow('a total of 1000000');
    expect(requests).toBe(2);
  });

  test('"no such thing" of the first page is passed on, of a later one it is a contradiction', async () => {
    const from = (failing: number) => ({
      ...listOf(items(150)),
      readPage: async (offset: number, limit: number) => {
        if (offset >= failing) throw notFound('the list');
        return listOf(items(150)).readPage(offset, limit);
      },
    });
    await expect(readWholeList(from(0))).rejects.toMatchObject({ failure: { kind: 'not_found' } });
    await expect(readWholeList(from(100))).rejects.toMatchObject({ failure: { kind: 'bad_answer' } });
  });

  test('the failure of a later page is passed on', async () => {
    const list = {
      ...listOf(items(150)),
      readPage: async (offset: number, limit: number) => {
        if (offset > 0) throw badAnswer('spoilt');
        return listOf(items(150)).readPage(offset, limit);
      },
    };
    await expect(readWholeList(list)).rejects.toThrow('spoilt');
  });
});
