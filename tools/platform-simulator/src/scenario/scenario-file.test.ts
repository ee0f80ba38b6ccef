import { expect, test } from '@jest/globals';
import { libraryNames, libraryScenario } from './scenario-file.js';

test('the library has more than twelve scenarios', () => expect(libraryNames().length).toBeGreaterThan(12));

test.each(libraryNames())('the scenario "%s" is valid', (name) => {
  expect(libraryScenario(name).name).not.toBe('');
});

test('times are measured from the start of the scenario', () => {
  expect(libraryScenario('removed')).toMatchObject({
    plan: 'business',
    events: [{ at: 600_000, do: 'remove_release', release: 'album' }],
    until: 7_200_000,
    expect: [{ state: 'confirmed', detected_at: 900_000, confirmed_after: 1_800_000 }],
  });
});
