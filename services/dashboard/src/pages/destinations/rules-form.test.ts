import { expect, test } from '@jest/globals';
import { readNew, typedDestination } from './rules-form.js';

test('only one artist more than allowed is read from a form', () => {
  const ids = Array.from({ length: 6_000 }, (_, index) => `art_${String(index).padStart(32, '0')}`);
  const form = new URLSearchParams([
    ...[['kind', 'webhook'] as [string, string], ['url', 'https://receiver.example/'] as [string, string]],
    ...ids.map((id): [string, string] => ['artist_ids', id]),
  ]);
  const typed = typedDestination(form);
  expect(typed.artist_ids).toEqual(ids.slice(0, 401));
  expect(readNew(typed)).toEqual({ ok: false, errors: { artist_ids: expect.stringContaining('400') } });
  const fewer = { ...typed, artist_ids: typed.artist_ids.slice(1) };
  expect(readNew(fewer)).toMatchObject({ ok: true });
});
