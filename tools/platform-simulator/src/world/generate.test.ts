import { describe, expect, test } from '@jest/globals';
import { generateWorld } from './generate.js';
import { deezerId, spotifyId } from './id-form.js';

const generate = (artists: number, seed = 'test') => generateWorld({ seed, artists, idOf: deezerId });

describe('the generated catalogue', () => {
  test('the same seed produces the same catalogue, and a different seed produces a different one', () => {
    expect(generate(5).tree()).toEqual(generate(5).tree());
    expect(generate(5, 'other').tree()).not.toEqual(generate(5).tree());
  });

  test('an artist is the same in a small catalogue and in a large one', () => {
    expect(generate(40).tree('5000003')).toEqual(generate(4).tree('5000003'));
  });

  test('one artist has more than one page of releases, and another has a single release', () => {
    expect(generate(3).releasesOf('5000001')).toHaveLength(130);
    expect(generate(3).releasesOf('5000002')).toHaveLength(1);
  });

  test('every ISRC is valid and belongs to only one artist', () => {
    const owners = new Map<string, string>();
    for (const artist of generate(60).tree()) {
      for (const { isrc } of artist.releases.flatMap((release) => release.tracks)) {
        expect(isrc).toMatch(/^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/);
        expect(owners.get(isrc) ?? artist.id).toBe(artist.id);
        owners.set(isrc, artist.id);
      }
    }
  });

  test('every UPC has a valid check digit and belongs to only one release', () => {
    const codes = generate(60)
      .tree()
      .flatMap((artist) => artist.releases.map((release) => release.upc));
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) {
      expect(code).toMatch(/^\d{12}$/);
      const weighted = [...code].map((digit, index) => Number(digit) * (index % 2 === 0 ? 3 : 1));
      expect(weighted.reduce((sum, part) => sum + part, 0) % 10).toBe(0);
    }
  });

  test('track numbers on each disc have no gaps', () => {
    for (const artist of generate(10).tree()) {
      for (const release of artist.releases) {
        const places = release.tracks.map((track) => `${track.disc}-${track.position}`);
        expect(new Set(places).size).toBe(places.length);
        expect(Math.max(...release.tracks.map((track) => track.position))).toBeLessThanOrEqual(places.length);
      }
    }
  });

  test('Spotify ids are 22 base62 characters', () => {
    const world = generateWorld({ seed: 'test', artists: 2, idOf: spotifyId });
    for (const artist of world.artists()) expect(artist.id).toMatch(/^[0-9a-zA-Z]{22}$/);
  });
});
