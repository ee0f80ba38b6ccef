import { SEVERITIES } from '@artist-watch/domain/change-types';
import { type DestinationRules, letsThrough } from '@artist-watch/domain/destination-rules';
import type { AccountId, ArtistId } from '@artist-watch/domain/ids';
import { destinationStore } from '@artist-watch/persistence/destination/store';
import { newId } from '@artist-watch/runtime/ids';
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { givenAccount, givenChange, givenWatch, openStores, type Stores, start } from './given.js';

let stores: Stores;
let accountId: AccountId;
let artists: ArtistId[];
beforeAll(async () => {
  stores = await openStores();
  accountId = await givenAccount(stores.database);
  artists = [await givenWatch(stores.database, accountId), await givenWatch(stores.database, accountId)];
});

const types = ['release_removed', 'label_changed', 'type_of_another_detector'];

function rulesOf(): fc.Arbitrary<DestinationRules> {
  return fc.record({
    minSeverity: fc.option(fc.constantFrom(...SEVERITIES)),
    changeTypes: fc.subarray([...types, 'a_type_that_never_comes']),
    artistIds: fc.subarray([...artists, 'art_of_nobody']),
  });
}

test('the database lets the same changes through as the domain does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(rulesOf(), { minLength: 1, maxLength: 10 }),
      fc.record({
        type: fc.constantFrom(...types),
        severity: fc.constantFrom(...SEVERITIES),
        artist: fc.constantFrom(0, 1),
      }),
      async (allRules, { type, severity, artist }) => {
        await stores.database.pool.query('TRUNCATE destinations CASCADE');
        const destinations = destinationStore(stores.database, stores.box);
        const ids = allRules.map(() => newId('dst', start));
        for (const [index, rules] of allRules.entries()) {
          const id = ids[index] as (typeof ids)[number];
          await destinations.create({ id, accountId, url: 'https://x.example/', secret: null, rules, now: start });
        }
        const artistId = artists[artist] as ArtistId;
        await givenChange(stores.database, artistId, { type, severity });
        const { rows } = await stores.database.pool.query<{ destination_id: string }>(
          'SELECT destination_id FROM deliveries',
        );
        const expected = ids.filter((_, index) =>
          letsThrough(allRules[index] as DestinationRules, { type, severity, artistId }),
        );
        expect(rows.map((row) => row.destination_id).sort()).toEqual([...expected].sort());
      },
    ),
    { numRuns: 60 },
  );
});
