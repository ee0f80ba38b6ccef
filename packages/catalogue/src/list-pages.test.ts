import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  ListMismatches,
  type ListSource,
  MATCHING_RELEASE_READS,
  MATCHING_TRACK_READS,
  nextOffset,
  readWholeList,
} from './list-pages.js';
import { badResponse, notFound } from './port.js';

const items = (count: number) => Array.from({ length: count }, (_, index) => `item ${index}`);

interface Listing {
  /** The platform counts null items but does not show them. */
  readonly places: readonly (string | null)[];
  readonly limit?: number;
  readonly total?: number;
}

function listOf(
  { places, limit = 100, total = places.length }: Listing,
  distort: (page: string[], offset: number) => string[] = (page) => page,
): ListSource<string> & { requests: number } {
  return {
    requests: 0,
    what: 'the list',
    matchingReads: MATCHING_RELEASE_READS,
    idOf: (item) => item,
    async readPage(offset) {
      this.requests += 1;
      const shown = places.slice(offset, offset + limit).filter((item) => item !== null);
      return {
        items: distort(shown, offset),
        total,
        next: offset + limit < places.length ? offset + limit : undefined,
      };
    },
  };
}

let mismatches: ListMismatches;
beforeEach(() => {
  mismatches = new ListMismatches();
});
const readList = (list: ListSource<string>) => readWholeList(list, mismatches);
const read = async (list: ListSource<string>) => {
  const { items, unknown } = await readList(list);
  expect(unknown).toBe(0);
  return items;
};

describe('readWholeList', () => {
  test('all items of a list are read in order, for any page size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 350 }), fc.integer({ min: 2, max: 120 }), async (count, limit) => {
        const list = listOf({ places: items(count), limit });
        expect(await read(list)).toEqual(items(count));
        expect(list.requests).toBe(Math.max(1, Math.ceil(count / limit)));
      }),
    );
  });

  test('a list whose total includes hidden items needs two identical reads the first time, and one after that', async () => {
    // Seen on Spotify in 2025: pages of 20, 20, 20, 18 and 3 items, and a total of 83.
    const places = items(83).map((item, place) => (place === 65 || place === 70 ? null : item));
    const list = listOf({ places, limit: 20 });
    const shown = places.filter((item) => item !== null);
    expect(shown).toHaveLength(81);
    expect([await read(list), list.requests]).toEqual([shown, 10]);
    expect([await read(list), list.requests]).toEqual([shown, 15]);

    const changed = listOf({ places: places.with(3, null), limit: 20 });
    expect([await read(changed), changed.requests]).toEqual([shown.filter((item) => item !== 'item 3'), 10]);
  });

  test('a list with a far too large total does not cause requests for nonexistent pages', async () => {
    // Seen on Spotify: 4 items and a total of 682.
    const list = listOf({ places: items(4), limit: 50, total: 682 });
    expect([await read(list), list.requests]).toEqual([items(4), 2]);
  });

  test('reading a list whose pages never end throws an error', async () => {
    const endless: ListSource<string> = {
      what: 'the list',
      matchingReads: MATCHING_RELEASE_READS,
      idOf: (item) => item,
      readPage: async (offset) => ({ items: [`item ${offset}`], total: 1_000_000, next: offset + 1 }),
    };
    await expect(read(endless)).rejects.toThrow('more than 200 pages');
    const circular = { ...endless, readPage: async () => ({ items: ['item'], total: 3, next: 0 }) };
    await expect(read(circular)).rejects.toThrow('the page at offset 0 gives 0 as the next offset');
  });

  test.each([
    ['a different item is missing in each read', (page: string[], time: number) => page.toSpliced(time, 1)],
    [
      'the second page repeats the first',
      (page: string[], _: number, offset: number) => (offset > 0 ? items(30) : page),
    ],
    ['a page is empty although the total is not 0', () => []],
  ])('reading a list throws an error if %s', async (_, distort) => {
    let time = 0;
    const list = listOf({ places: items(90), limit: 60 }, (page, offset) => distort(page, time++, offset));
    await expect(read(list)).rejects.toMatchObject({ failure: { kind: 'bad_answer' } });
    await expect(read(list)).rejects.toMatchObject({ failure: { kind: 'bad_answer' } });
  });

  test('an item that is always in the list is never lost, even if the list changes between two pages', async () => {
    const move = fc.record({
      count: fc.integer({ min: 1, max: 40 }),
      limit: fc.integer({ min: 1, max: 15 }),
      place: fc.nat(),
      afterRequests: fc.integer({ min: 1, max: 6 }),
      comes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(move, async ({ count, limit, place, afterRequests, comes }) => {
        const before = items(count);
        const after = comes ? before.toSpliced(place % (count + 1), 0, 'new item') : before.toSpliced(place % count, 1);
        let requests = 0;
        const moving: ListSource<string> = {
          ...listOf({ places: before }),
          async readPage(offset) {
            const places = requests++ < afterRequests ? before : after;
            const next = offset + limit < places.length ? offset + limit : undefined;
            return { items: places.slice(offset, offset + limit), total: places.length, next };
          },
        };
        const { items: shown, unknown } = await readWholeList(moving, new ListMismatches());
        expect(unknown).toBe(0);
        expect(shown).toEqual(expect.arrayContaining(before.filter((item) => after.includes(item))));
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([0, 7])('a repeated read that matches its total but lost items is repeated: %s items', async (count) => {
    let reads = 0;
    const shortOnce: ListSource<string> = {
      ...listOf({ places: [] }),
      readPage: async () => {
        reads += 1;
        if (reads === 2) return { items: items(count), total: count };
        return { items: items(10), total: reads === 1 ? 12 : 10 };
      },
    };
    expect(await readList(shortOnce)).toEqual({ items: items(10), unknown: 0 });
    expect(reads).toBe(3);
  });

  test('two repeated reads that match their totals and agree are complete, because items can be removed meanwhile', async () => {
    let reads = 0;
    const shrunk: ListSource<string> = {
      ...listOf({ places: [] }),
      readPage: async () => {
        reads += 1;
        return reads === 1 ? { items: items(10), total: 12 } : { items: items(9), total: 9 };
      },
    };
    expect(await readList(shrunk)).toEqual({ items: items(9), unknown: 0 });
  });

  test('a null entry counts as an unknown item', async () => {
    const list: ListSource<string> = {
      ...listOf({ places: [] }),
      readPage: async () => ({ items: ['a', null, 'b', null], total: 4 }),
    };
    expect(await readList(list)).toEqual({ items: ['a', 'b'], unknown: 2 });
  });

  test('a list that repeats an item is complete after two reads, with one unknown item', async () => {
    const twice = (page: string[], time: number) => page.with(time, page[time + 1] as string);
    let time = 0;
    const varied = listOf({ places: items(40) }, (page) => twice(page, time++));
    expect(await readList(varied)).toEqual({ items: items(40).toSpliced(1, 1), unknown: 1 });
    expect(varied.requests).toBe(2);
    const steady = listOf({ places: items(40), total: 39 }, (page) => twice(page, 7));
    expect(await readList(steady)).toEqual({ items: items(40).toSpliced(7, 1), unknown: 1 });
  });

  test('a list that skips items between two groups is read once more, group by group', async () => {
    const groups = { album: items(23), single: items(60).slice(23) };
    type Group = keyof typeof groups;
    const pages = (places: readonly string[], offset: number, total = places.length) => ({
      items: places.slice(offset, offset + 20),
      total,
      next: offset + 20 < places.length ? offset + 20 : undefined,
    });
    const asked: (Group | undefined)[] = [];
    const skipping = (total: number): ListSource<string, Group> => ({
      what: 'the list',
      matchingReads: MATCHING_RELEASE_READS,
      idOf: (item) => item,
      parts: ['album', 'single'],
      async readPage(offset, group) {
        asked.push(group);
        if (group !== undefined) return pages(groups[group], offset, groups[group].length + total - 60);
        // Seen on Spotify in 2023: the last page of the first group has 3 items, so the list skips the next 3.
        return pages(items(60).toSpliced(23, 3), offset, total);
      },
    });
    const counted = () => [undefined, 'album', 'single'].map((group) => asked.filter((one) => one === group).length);
    for (const times of [1, 2]) {
      expect(await readWholeList(skipping(60), mismatches)).toEqual({ items: items(60), unknown: 0 });
      expect(counted()).toEqual([3 * times, 2 * times, 2 * times]);
    }
    // The group totals also count hidden items, so two matching reads are needed.
    for (let times = 0; times < 2; times++) {
      expect((await readWholeList(skipping(65), mismatches)).items).toEqual(items(60));
    }
  });

  test('reads of a whole list that skip the same items never confirm each other, even if the groups cannot be read', async () => {
    let groupsFail = true;
    const skipping: ListSource<string, 'album' | 'single'> = {
      what: 'the list',
      matchingReads: MATCHING_RELEASE_READS,
      idOf: (item) => item,
      parts: ['album', 'single'],
      async readPage(_offset, group) {
        if (group !== undefined && groupsFail) throw badResponse('the group cannot be read');
        if (group === undefined) return { items: items(6), total: 9 };
        return group === 'album' ? { items: items(6), total: 6 } : { items: items(9).slice(6), total: 3 };
      },
    };
    for (let poll = 1; poll <= 3; poll++) {
      await expect(readWholeList(skipping, mismatches)).rejects.toThrow('the group cannot be read');
    }
    groupsFail = false;
    expect((await readWholeList(skipping, mismatches)).items).toEqual(items(9));
  });

  test('a list is accepted if its third read matches the second, even if the first read differed', async () => {
    const [a, b] = [items(80), items(81)];
    const shown = [a, b, b];
    const list = listOf({ places: items(90) }, () => shown.shift() as string[]);
    await expect(read(list)).rejects.toThrow(
      'the list: 80 unique items, total 90; next read: 81 unique items, total 90',
    );
    expect([await read(list), list.requests]).toEqual([b, 3]);
  });

  test('a list of tracks with a wrong total needs three equal reads the first time, and one read after that', async () => {
    const [a, b] = [items(9), items(10).slice(1)];
    const shown = [a, a, b, b, b, b];
    const list = {
      ...listOf({ places: items(10) }, () => shown.shift() as string[]),
      matchingReads: MATCHING_TRACK_READS,
    };
    await expect(read(list)).rejects.toMatchObject({ failure: { kind: 'bad_answer' } });
    expect([await read(list), list.requests]).toEqual([b, 5]);
    expect([await read(list), list.requests]).toEqual([b, 6]);
  });

  test('a list with a wrong total is read again and accepted if the total is then correct', async () => {
    const list = listOf({ places: items(150) }, (page) => (list.requests === 1 ? page.slice(1) : page));
    expect([await read(list), list.requests]).toEqual([items(150), 4]);
    const short = listOf({ places: items(150) }, (page, offset) => (offset === 0 ? page.slice(1) : page));
    expect([await read(short), short.requests]).toEqual([items(150).slice(1), 4]);
  });

  test('“not found” for the first page means that the list does not exist; for a later page it is a bad response', async () => {
    const from = (failing: number): ListSource<string> => {
      const whole = listOf({ places: items(150) });
      const readPage = whole.readPage.bind(whole);
      return {
        ...whole,
        async readPage(offset) {
          if (offset >= failing) throw notFound('the list');
          return readPage(offset, undefined);
        },
      };
    };
    await expect(readList(from(0))).rejects.toMatchObject({ failure: { kind: 'not_found' } });
    await expect(readList(from(100))).rejects.toMatchObject({ failure: { kind: 'bad_answer' } });
  });

  test('an error on a later page is reported', async () => {
    const list = listOf({ places: items(150) }, (page, offset) => {
      if (offset > 0) throw badResponse('broken');
      return page;
    });
    await expect(read(list)).rejects.toThrow('broken');
  });
});

test.each([
  ['https://api.spotify.com/v1/artists/x/albums?offset=20&limit=20&include_groups=album', 'offset', 20],
  ['https://api.deezer.com/artist/27/albums?limit=25&index=50', 'index', 50],
  ['https://api.deezer.com/artist/27/albums', 'index', undefined],
  [null, 'offset', undefined],
  [undefined, 'offset', undefined],
] as const)('in the next-page URL %s, the parameter %s has the value %s', (address, parameter, offset) => {
  expect(nextOffset(parameter).parse(address)).toBe(offset);
});
