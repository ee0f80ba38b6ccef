import { describe, expect, test } from '@jest/globals';
import { ScenarioFileError } from './cast.js';
import { libraryNames, libraryScenario, readScenario } from './scenario-file.js';

const GOOD = `
name: A release is removed
cast:
  artist: { artist: 3 }
  album: { release: 2, of: artist }
events:
  - { at: 10m, do: remove_release, release: album }
  - { at: 1.5h, do: quirk, set: { noDataError: 0.05 }, for: 30m }
until: 2h
expect:
  - { type: release_removed, entity: album, severity: critical, detected_at: 15m, confirmed_after: 30m }
`;

describe('a scenario file', () => {
  test('is YAML with times as durations', () => {
    expect(readScenario(GOOD)).toMatchObject({
      plan: 'business',
      events: [
        { at: 600_000, do: 'remove_release', release: 'album' },
        { at: 5_400_000, for: 1_800_000, set: { noDataError: { probability: 0.05 } } },
      ],
      until: 7_200_000,
      expect: [{ state: 'confirmed', detected_at: 900_000, confirmed_after: 1_800_000 }],
    });
  });

  test('may be JSON', () => {
    const asJson = { name: 'x', cast: { artist: { artist: 0 } }, events: [], until: '1h', expect: [] };
    expect(readScenario(JSON.stringify(asJson))).toMatchObject({ name: 'x', until: 3_600_000 });
  });

  test.each([
    ['text that is no YAML', 'name: [', /line 1/],
    ['a time without a unit', GOOD.replace('at: 10m', 'at: "10"'), /is not a duration such as .*\n.*events\[0\]\.at/],
    ['an unknown action', GOOD.replace('remove_release,', 'burn_release,'), /events\[0\]\.do/],
    ['a field that the action does not have', GOOD.replace('10m,', '10m, title: x,'), /"title"\n.*events\[0\]/],
    ['an unknown quirk', GOOD.replace('noDataError', 'noSuchQuirk'), /noSuchQuirk/],
    ['a probability above 1', GOOD.replace('0.05', '2'), /events\[1\]\.set\.noDataError/],
    [
      'a name that stands for nothing',
      GOOD.replace('release: album }', 'release: single }'),
      /no "single" in the cast/,
    ],
    [
      'a name of another kind',
      GOOD.replace('release: album }', 'release: artist }'),
      /"artist" is an artist, not a release/,
    ],
    [
      'a name that is given twice',
      GOOD.replace('remove_release, release: album', 'add_release, artist: artist, as: album'),
      /"album" is taken/,
    ],
    [
      'a watch on what is no artist',
      GOOD.replace('events:', 'watch: [album]\nevents:'),
      /"album" is a release, not an artist/,
    ],
    ['an event after the end', GOOD.replace('until: 2h', 'until: 1h'), /is after the end of the scenario/],
    [
      'a confirmed change without its time',
      GOOD.replace(', confirmed_after: 30m', ''),
      /is needed for a confirmed change/,
    ],
    [
      'a dismissed one with it',
      GOOD.replace('severity: critical', 'severity: critical, state: dismissed'),
      /is for confirmed changes only/,
    ],
  ])('with %s is refused, and the message says where', (_, source, message) => {
    expect(() => readScenario(source)).toThrow(ScenarioFileError);
    expect(() => readScenario(source)).toThrow(message);
  });

  test('with several mistakes is refused with all of them', () => {
    const source = GOOD.replace('until: 2h', 'until: soon').replace('severity: critical', 'severity: worst');
    expect(() => readScenario(source)).toThrow(/severity[\s\S]*until|until[\s\S]*severity/);
  });
});

describe('the library', () => {
  test('has more than a dozen scenarios', () => expect(libraryNames().length).toBeGreaterThan(12));

  test.each(libraryNames())('"%s" can be read', (name) => {
    expect(libraryScenario(name).name).not.toBe('');
  });
});
