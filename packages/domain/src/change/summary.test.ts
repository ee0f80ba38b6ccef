import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compare } from '../comparison/snapshot-comparison.js';
import { catalogue } from '../testing/catalogue-arbitrary.js';
import { CHANGE_TYPES, type DetectedChangeType, ENTITY_TYPES } from './change-types.js';
import { type DifferenceParts, makeDifference } from './difference.js';
import { summarise, summariseReported } from './summary.js';

/** UTF-16 units. */
const SUMMARY_LENGTH = 1_000;

const RELEASE = { entityId: 'r1', entityName: 'Vespertine' };
const TRACK = { entityId: 't1', entityName: 'Cocoon', release: { platformId: 'r1', name: 'Vespertine' } };
const ARTIST = { entityId: 'a1', entityName: 'Björk' };
const ten = ['AT', 'BE', 'CH', 'DE', 'ES', 'FR', 'GB', 'IE', 'IS', 'IT'];

describe('summarise', () => {
  test.each<[DifferenceParts, string]>([
    [{ type: 'artist_removed', ...ARTIST }, 'Björk was removed from Deezer.'],
    [{ type: 'artist_restored', ...ARTIST }, 'Björk is back on Deezer.'],
    [
      { type: 'artist_name_changed', ...ARTIST, before: 'Björk', after: 'Björk G.' },
      'The artist “Björk” is now called “Björk G.”.',
    ],
    [{ type: 'artist_image_changed', ...ARTIST, before: 'a', after: 'b' }, 'Björk has a new picture.'],
    [
      { type: 'followers_spike', ...ARTIST, before: 10_000, after: 1_250_000 },
      'Björk has 1,250,000 followers, far more than the usual 10,000.',
    ],
    [
      { type: 'followers_drop', ...ARTIST, before: 10_000, after: 900 },
      'Björk has 900 followers, far fewer than the usual 10,000.',
    ],
    [{ type: 'release_removed', ...RELEASE }, '“Vespertine” by Björk was removed from Deezer.'],
    [{ type: 'release_added', ...RELEASE }, '“Vespertine” by Björk was added to Deezer.'],
    [{ type: 'release_restored', ...RELEASE }, '“Vespertine” by Björk is back on Deezer.'],
    [
      { type: 'release_replaced', ...RELEASE, before: { platformId: 'r1' }, after: { platformId: 'r2' } },
      '“Vespertine” by Björk was replaced and has a new Deezer ID.',
    ],
    [
      { type: 'release_title_changed', ...RELEASE, before: 'Vespertine', after: 'Vespertine (Live)' },
      '“Vespertine” by Björk is now called “Vespertine (Live)”.',
    ],
    [
      { type: 'release_date_changed', ...RELEASE, before: '2001-08-27', after: '2001-08-28' },
      'The release date of “Vespertine” by Björk changed from 2001-08-27 to 2001-08-28.',
    ],
    [{ type: 'artwork_changed', ...RELEASE, before: 'a', after: 'b' }, '“Vespertine” by Björk has a new cover.'],
    [
      { type: 'label_changed', ...RELEASE, before: 'Elektra', after: 'One Little Independent' },
      'The label of “Vespertine” by Björk changed from “Elektra” to “One Little Independent”.',
    ],
    [
      { type: 'upc_changed', ...RELEASE, before: '724381061527', after: '5016958997038' },
      'The UPC of “Vespertine” by Björk changed from 724381061527 to 5016958997038.',
    ],
    [
      { type: 'availability_reduced', ...RELEASE, before: ten, after: ten.slice(2) },
      '“Vespertine” by Björk is no longer available in 2 of 10 markets: AT, BE.',
    ],
    [
      { type: 'availability_reduced', ...RELEASE, before: Array.from({ length: 15 }, (_, n) => `M${n}`), after: [] },
      '“Vespertine” by Björk is no longer available in 15 of 15 markets: M0, M1, M10, M11, M12, M13, M14, M2, M3, M4, M5, M6 and 3 more.',
    ],
    [
      { type: 'availability_expanded', ...RELEASE, before: ten, after: [...ten, 'JP'] },
      '“Vespertine” by Björk is now also available in 1 more market: JP.',
    ],
    [{ type: 'track_removed', ...TRACK }, 'The track “Cocoon” on “Vespertine” by Björk was removed from Deezer.'],
    [{ type: 'track_added', ...TRACK }, 'The track “Cocoon” on “Vespertine” by Björk was added to Deezer.'],
    [
      { type: 'track_replaced', ...TRACK },
      'The track “Cocoon” on “Vespertine” by Björk was replaced and has a new Deezer ID.',
    ],
    [
      { type: 'track_title_changed', ...TRACK, before: 'Cocoon', after: 'Cocoon 2' },
      'The track “Cocoon” on “Vespertine” by Björk is now called “Cocoon 2”.',
    ],
    [
      { type: 'isrc_changed', ...TRACK, before: 'GBAAA0100001', after: 'GBAAA0100002' },
      'The ISRC of the track “Cocoon” on “Vespertine” by Björk changed from GBAAA0100001 to GBAAA0100002.',
    ],
    [
      {
        type: 'credits_changed',
        ...TRACK,
        before: [{ platformId: 'a1', name: 'Björk' }],
        after: [{ platformId: 'a1', name: 'Björk' }, { name: 'Arca' }],
      },
      'The credits of the track “Cocoon” on “Vespertine” by Björk changed from Björk to Björk, Arca.',
    ],
    [
      { type: 'explicit_flag_changed', ...TRACK, before: false, after: true },
      'The track “Cocoon” on “Vespertine” by Björk is now marked as explicit.',
    ],
    [
      { type: 'explicit_flag_changed', ...TRACK, before: true, after: false },
      'The track “Cocoon” on “Vespertine” by Björk is no longer marked as explicit.',
    ],
  ])('describes $type', (parts, sentence) => {
    expect(summarise(makeDifference(parts), 'Björk', 'deezer')).toBe(sentence);
  });

  test('a summary is one line of at most 1,000 characters, whatever the names', () => {
    const name = fc.string({ unit: 'binary', maxLength: 600 });
    fc.assert(
      fc.property(catalogue, catalogue, name, name, (before, after, artistName, entityName) => {
        for (const difference of compare(before, after)) {
          const named = { ...difference, entityName, releaseName: entityName, after: entityName };
          const text = summarise(named, artistName, 'spotify');
          expect(text.length).toBeLessThanOrEqual(SUMMARY_LENGTH);
          expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        }
      }),
    );
  });

  test('shortening a long name never splits a character', () => {
    const sentence = summarise(
      makeDifference({ type: 'release_added', ...RELEASE, entityName: '😀'.repeat(300) }),
      'A',
      'deezer',
    );
    expect(sentence).toContain('😀…”');
    // UTF-8 cannot encode half a surrogate pair.
    expect(() => encodeURIComponent(sentence)).not.toThrow();
  });
});

describe('summariseReported', () => {
  const names = { platform: 'spotify', entityName: 'Cocoon', artistName: 'Björk' } as const;

  test.each([
    ['release_removed', 'release', '“Cocoon” by Björk was removed from Spotify.'],
    ['release_title_changed', 'release', '“Cocoon” by Björk has a new title.'],
    ['label_changed', 'release', 'The label of “Cocoon” by Björk changed.'],
    ['availability_reduced', 'release', '“Cocoon” by Björk is no longer available in some of its markets.'],
    ['explicit_flag_changed', 'track', 'The explicit flag of the track “Cocoon” by Björk changed.'],
    ['credits_changed', 'track', 'The credits of the track “Cocoon” by Björk changed.'],
    ['followers_drop', 'artist', 'Björk has far fewer followers than usual.'],
    ['artist_name_changed', 'artist', 'The name of Björk changed.'],
    ['release_removed', 'track', 'Release removed: track “Cocoon” by Björk.'],
    ['royalty_split_changed', 'track', 'Royalty split changed: track “Cocoon” by Björk.'],
    ['verified', 'artist', 'Verified: artist “Cocoon”.'],
    ['constructor', 'release', 'Constructor: release “Cocoon” by Björk.'],
  ] as const)('%s of a %s: %s', (type, entityType, sentence) => {
    expect(summariseReported({ type, entityType, ...names })).toBe(sentence);
  });

  test('a name that is only white space is treated as missing', () => {
    const nameless = { ...names, entityType: 'release', entityName: ' \n' } as const;
    expect(summariseReported({ ...nameless, type: 'verified' })).toBe('Verified: untitled release by Björk.');
    expect(summariseReported({ ...nameless, type: 'release_removed' })).toBe(
      'An untitled release by Björk was removed from Spotify.',
    );
    expect(summariseReported({ ...nameless, type: 'label_changed' })).toBe(
      'The label of an untitled release by Björk changed.',
    );
  });

  test('the summary of a reported change has at most 1,000 characters, whatever its type', () => {
    const type = fc.oneof(
      fc.constantFrom(...(Object.keys(CHANGE_TYPES) as DetectedChangeType[])),
      fc.stringMatching(/^[a-z][a-z0-9_]{0,63}$/),
    );
    const name = fc.string({ unit: 'grapheme', maxLength: 500 });
    fc.assert(
      fc.property(type, fc.constantFrom(...ENTITY_TYPES), name, name, (one, entityType, entityName, artistName) => {
        const sentence = summariseReported({ platform: 'deezer', type: one, entityType, entityName, artistName });
        expect(sentence.length).toBeLessThanOrEqual(SUMMARY_LENGTH);
        expect(sentence).toMatch(/^\S.*\.$/u);
        expect(sentence).not.toContain('undefined');
      }),
      { numRuns: 500 },
    );
  });
});
