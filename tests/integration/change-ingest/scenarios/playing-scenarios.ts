import type { Platform } from '@artist-watch/domain/catalogue';
import { useSuite } from '@artist-watch/harness/suite';
import { TestClock } from '@artist-watch/harness/test-clock';
import type { QuirksInput } from '@artist-watch/platform-simulator/quirks/quirks';
import {
  type ExpectedChange,
  libraryNames,
  libraryScenario,
  type Scenario,
} from '@artist-watch/platform-simulator/scenario/scenario-file';
import { startPlatformSimulator } from '@artist-watch/platform-simulator/server';
import { beforeEach, expect, test } from '@jest/globals';
import { destinationOf, openTestDatabase, watching } from '../ingest-fixture.js';
import { type ChangeRow, changeRows, Watching } from '../watching-fixture.js';

const { databaseUrl, pool, onEnd } = await useSuite();
const database = openTestDatabase(databaseUrl);
onEnd(() => database.close());

/** A scenario simulates days of polls, which takes long on a busy machine. */
const TEST_TIMEOUT_MS = 600_000;
const START = '2026-03-01T12:00:00.000Z';

beforeEach(async () => {
  await pool.query('TRUNCATE accounts, artists, changes, feed_items, deliveries, destinations CASCADE');
});

interface Setting {
  readonly platform: Platform;
  readonly quirks?: QuirksInput;
  readonly names?: readonly string[];
  /** The platform does not show the fields of these changes. */
  readonly hidden?: readonly string[];
}

/** Each scenario of the simulator's library has a separate suite. */
export function scenariosOn(platformName: string, { platform, quirks = {}, names, hidden = [] }: Setting): void {
  test.each(names ?? libraryNames())(
    `on ${platformName}, the scenario "%s" causes exactly its expected changes, in the feed and as deliveries`,
    async (name) => {
      const scenario = libraryScenario(name);
      const { rows, nameOf } = await play(scenario, platform, quirks);
      const found = rows.filter(({ state }) => state !== 'dismissed').map((row) => summarise(row, nameOf));
      const dismissed = rows.filter(({ state }) => state === 'dismissed').map((row) => summarise(row, nameOf));
      const expected = scenario.expect.filter(({ type }) => !hidden.includes(type));
      expect(found).toEqual(
        matched(
          expected.filter(({ state }) => state === 'confirmed'),
          found,
        ),
      );
      const expectedDismissals = expected.filter(({ state }) => state === 'dismissed');
      expect(dismissed).toEqual(expect.arrayContaining(matched(expectedDismissals, dismissed)));
      const confirmed = rows.filter(({ state }) => state === 'confirmed');
      await expectInFeed(confirmed);
      await expectDeliveries(scenario.plan === 'business' ? confirmed : []);
    },
    TEST_TIMEOUT_MS,
  );
}

async function play(scenario: Scenario, platform: Platform, quirks: QuirksInput) {
  const clock = new TestClock(START);
  const simulator = await startPlatformSimulator({
    platform,
    seed: 'artist-watch',
    artists: 10,
    budget: 'unlimited',
    quirks,
    clock,
  });
  const replica = new Watching({ database, simulator, platform, clock, expectedCountry: 'FR' });
  try {
    const { cast, watched, steps } = simulator.stage(scenario);
    for (const name of watched) {
      const artist = { artistPlatformId: cast.id(name), artistId: `art_${name}`, platform };
      await watching(pool, { accountId: 'acc_1', plan: scenario.plan, now: clock.now(), ...artist });
    }
    await destinationOf(pool, { id: 'dst_1', accountId: 'acc_1' });
    const passUntil = (afterMs: number) => replica.pass(Date.parse(START) + afterMs - clock.now().getTime());
    for (const { afterMs, run } of steps) {
      await passUntil(afterMs);
      run();
    }
    await passUntil(scenario.until);
    expect(replica.failures).toEqual([]);
    const names = new Map(cast.entries().map(({ id, name }) => [id, name]));
    return { rows: await changeRows(database), nameOf: (id: string) => names.get(id) ?? id };
  } finally {
    await replica.stop();
    await simulator.stop();
  }
}

interface SummarisedChange {
  readonly type: string;
  readonly entity: string;
  readonly severity: string;
  readonly state: string;
  readonly detected_at: string;
  readonly confirmed_after: string | null;
}

function summarise(row: ChangeRow, nameOf: (id: string) => string): SummarisedChange {
  const { type, severity, state, detected_at, confirmed_at } = row;
  return {
    type,
    entity: nameOf(row.entity_id),
    severity,
    state,
    detected_at: minutes(detected_at.getTime() - Date.parse(START)),
    confirmed_after: confirmed_at && minutes(confirmed_at.getTime() - detected_at.getTime()),
  };
}

/** A found time within the expected range replaces the range. */
function matched(expected: readonly ExpectedChange[], found: readonly SummarisedChange[]): SummarisedChange[] {
  const left = [...expected];
  const inOrder = found.flatMap((one) => {
    const at = left.findIndex(({ type, entity }) => type === one.type && entity === one.entity);
    return at < 0 ? [] : left.splice(at, 1).map((wanted) => fitted(wanted, one));
  });
  return [...inOrder, ...left.map((wanted) => fitted(wanted, undefined))];
}

function fitted(wanted: ExpectedChange, found: SummarisedChange | undefined): SummarisedChange {
  const { type, entity, severity, state, detected_at, confirmed_after } = wanted;
  const time = (given: ExpectedChange['confirmed_after'], actual: string | null | undefined) => {
    if (given === undefined) return null;
    if (typeof given === 'number') return minutes(given);
    const actualMinutes = Number.parseInt(actual ?? 'NaN', 10);
    const isWithin = actualMinutes * 60_000 >= given.from && actualMinutes * 60_000 <= given.to;
    return isWithin && actual ? actual : `${minutes(given.from)} to ${minutes(given.to)}`;
  };
  return {
    type,
    entity,
    severity,
    state,
    detected_at: time(detected_at, found?.detected_at) ?? '',
    confirmed_after: time(confirmed_after, found?.confirmed_after),
  };
}

function minutes(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  return seconds % 60 === 0 ? `${seconds / 60} m` : `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
}

const idsOf = (changes: readonly ChangeRow[]) => changes.map(({ id }) => id).sort();

/** Each confirmed change is in the feed of every watching account exactly once. */
async function expectInFeed(confirmed: readonly ChangeRow[]): Promise<void> {
  const { rows } = await pool.query('SELECT change_id FROM feed_items ORDER BY change_id COLLATE "C"');
  expect(rows.map((row) => row.change_id)).toEqual(idsOf(confirmed));
}

/** Each account with a destination also has one waiting delivery with the same body. */
async function expectDeliveries(changes: readonly ChangeRow[]): Promise<void> {
  const { rows } = await pool.query('SELECT change_id, state FROM deliveries ORDER BY change_id COLLATE "C"');
  expect(rows).toEqual(idsOf(changes).map((id) => ({ change_id: id, state: 'pending' })));
  for (const { id, type, severity, entity_id, detected_at, webhook_body } of changes) {
    expect(JSON.parse(webhook_body ?? '{}')).toMatchObject({
      event: 'change.confirmed',
      change_id: id,
      change_type: type,
      severity,
      entity_id,
      detected_at: Math.floor(detected_at.getTime() / 1000),
    });
  }
}
