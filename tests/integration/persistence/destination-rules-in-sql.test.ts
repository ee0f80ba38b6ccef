import { OPERATOR } from '@artist-watch/domain/account/actor';
import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import { ALLOW_ALL, type DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { AccountId, ArtistId, GroupId } from '@artist-watch/domain/ids';
import { groupStore } from '@artist-watch/persistence/account/groups';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import { previewRules } from '@artist-watch/persistence/destination/reads';
import { newId } from '@artist-watch/runtime/ids';
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { letsThrough } from './destination-rules.oracle.js';
import { givenAccount, givenChange, givenWatch, openStores, type Stores, start } from './given.js';

let stores: Stores;
let accountId: AccountId;
let artists: ArtistId[];
let groups: GroupId[];
const groupOf = (artistId: string) => groups[(artists as string[]).indexOf(artistId)] ?? '';
beforeAll(async () => {
  stores = await openStores();
  accountId = await givenAccount(stores.database);
  artists = [await givenWatch(stores.database, accountId), await givenWatch(stores.database, accountId)];
  const store = groupStore(stores.database);
  groups = artists.map(() => newId('grp', start));
  for (const [index, id] of groups.entries()) {
    const named = { id, accountId, by: OPERATOR, now: start };
    await store.create({ ...named, name: `Group ${index}`, color: 'gray' });
    await store.update({ ...named, addArtistIds: artists.slice(index, index + 1) });
  }
});

const types = ['release_removed', 'label_changed', 'type_of_another_detector'];

function rulesOf(): fc.Arbitrary<DestinationRules> {
  return fc.record({
    minSeverity: fc.option(fc.constantFrom(...SEVERITIES)),
    changeTypes: fc.subarray([...types, 'a_type_that_never_comes']),
    artistIds: fc.subarray([...artists, 'art_of_nobody']),
    groupIds: fc.subarray([...groups, 'grp_of_nobody']),
  });
}

function changeOf() {
  return fc.record({
    type: fc.constantFrom(...types),
    severity: fc.constantFrom(...SEVERITIES),
    artistId: fc.constantFrom(...artists),
  });
}

const manyStatementsMs = 30_000;

test(
  'the destination rules in SQL match the same changes as the rules in TypeScript',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(rulesOf(), { minLength: 1, maxLength: 5 }),
        fc.array(changeOf(), { minLength: 1, maxLength: 5 }),
        async (allRules, changes) => {
          await stores.database.pool.query('TRUNCATE destinations, changes, feed_items CASCADE');
          const expected: string[] = [];
          const withIds = allRules.map((rules) => ({ id: newId('dst', start), rules }));
          for (const { id, rules } of withIds) {
            const url = 'https://x.example/';
            await destinationCommands(stores.database, stores.box).create({
              id,
              accountId,
              url,
              secret: null,
              rules,
              now: start,
            });
          }
          for (const change of changes) {
            const changeId = await givenChange(stores.database, change.artistId, change);
            expected.push(
              ...withIds
                .filter(({ rules }) => letsThrough(rules, change, groupOf))
                .map(({ id }) => `${changeId} ${id}`),
            );
          }
          const { rows } = await stores.database.pool.query<{ pair: string }>(
            `SELECT change_id || ' ' || destination_id AS pair FROM deliveries`,
          );
          expect(rows.map(({ pair }) => pair).sort()).toEqual(expected.sort());
          for (const { rules } of withIds) {
            const passing = (kept: Partial<DestinationRules>) =>
              changes.filter((change) => letsThrough({ ...ALLOW_ALL, ...kept }, change, groupOf)).length;
            const preview = await previewRules(stores.database, accountId, rules, start);
            expect(preview.matching.count).toBe(passing(rules));
            expect(preview.matching.newest).toHaveLength(passing(rules));
            expect(preview.others).toMatchObject({
              count: changes.length - passing(rules),
              byRule: {
                min_severity: changes.length - passing({ minSeverity: rules.minSeverity }),
                change_types: changes.length - passing({ changeTypes: rules.changeTypes }),
                artist_ids: changes.length - passing({ artistIds: rules.artistIds, groupIds: rules.groupIds }),
              },
            });
          }
        },
      ),
      { numRuns: 40 },
    ),
  manyStatementsMs,
);
