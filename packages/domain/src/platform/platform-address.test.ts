import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Platform } from '../catalogue.js';
import { parseArtistAddress, parseTrackAddress } from './platform-address.js';

const ID = '6rqhFgbbKwnb9MLmUQDhG6';
const NUMBER = '3135556';

describe('the URL of a track', () => {
  test.each<[Platform, string]>([
    ['spotify', `https://open.spotify.com/track/${ID}`],
    ['spotify', `http://open.spotify.com/track/${ID}`],
    ['spotify', `open.spotify.com/track/${ID}`],
    ['spotify', `HTTPS://Open.SPOTIFY.com/track/${ID}`],
    ['spotify', `https://www.open.spotify.com/track/${ID}`],
    ['spotify', `https://open.spotify.com:443/track/${ID}`],
    ['spotify', `http://open.spotify.com:80/track/${ID}`],
    ['spotify', `open.spotify.com:443/track/${ID}`],
    ['spotify', `https://open.spotify.com/intl-de/track/${ID}`],
    ['spotify', `https://open.spotify.com/embed/track/${ID}`],
    ['spotify', `https://open.spotify.com/intl-pt/embed/track/${ID}`],
    ['spotify', `https://open.spotify.com/embed/intl-pt/track/${ID}`],
    ['spotify', `https://open.spotify.com/track/${ID}/`],
    ['spotify', `https://open.spotify.com/track/${ID}?si=0123456789abcdef&nd=1`],
    ['spotify', `https://open.spotify.com/track/${ID}#t=30`],
    ['spotify', `https://open.spotify.com/track/${ID}/?si=a/b#c?d`],
    ['spotify', `  https://open.spotify.com/track/${ID}\n`],
    ['spotify', `spotify:track:${ID}`],
    ['spotify', `Spotify:track:${ID}?si=1`],
    ['deezer', `https://www.deezer.com/track/${NUMBER}`],
    ['deezer', `https://deezer.com/track/${NUMBER}`],
    ['deezer', `www.deezer.com/track/${NUMBER}`],
    ['deezer', `https://www.deezer.com/en/track/${NUMBER}`],
    ['deezer', `https://www.deezer.com/FR/track/${NUMBER}/`],
    ['deezer', `https://www.deezer.com/embed/track/${NUMBER}`],
    ['deezer', `https://www.deezer.com/de/track/${NUMBER}?host=0&utm_source=x#y`],
    ['deezer', `https://www.deezer.com:443/track/${NUMBER}`],
  ])('on %s: %s', (platform, text) => {
    const trackId = platform === 'spotify' ? ID : NUMBER;
    expect(parseTrackAddress(text, platform)).toEqual({ kind: 'track', platform, trackId });
  });

  test.each<[Platform, readonly string[], readonly string[], string]>([
    ['spotify', ['open.spotify.com', 'OPEN.Spotify.Com'], ['', '/intl-de', '/intl-PT'], ID],
    ['deezer', ['deezer.com', 'DEEZER.com'], ['', '/de', '/FR', '/intl-de'], NUMBER],
  ])(
    'a track URL of %s is parsed, whatever its scheme, host, port, locale and ending',
    (platform, hosts, locales, trackId) => {
      const schemes: readonly [string, readonly string[]][] = [
        ['', ['', ':443', ':80']],
        ['http://', ['', ':80']],
        ['https://', ['', ':443']],
        ['HTTPS://', ['', ':443']],
      ];
      const authorities = schemes.flatMap(([scheme, ports]) =>
        hosts.flatMap((host) =>
          ['', 'www.', 'WWW.'].flatMap((www) => ports.map((port) => `${scheme}${www}${host}${port}`)),
        ),
      );
      const prefixes = locales.flatMap((locale) => [locale, `${locale}/embed`, `/embed${locale}`]);
      const ends = ['', '/', '?si=1', '#t=30', '/?si=a/b#c', '/#c'];
      const refused = authorities
        .flatMap((authority) =>
          prefixes.flatMap((prefix) => ends.map((end) => `${authority}${prefix}/track/${trackId}${end}`)),
        )
        .filter((text) => {
          const address = parseTrackAddress(text, platform);
          return address.kind !== 'track' || address.trackId !== trackId;
        });
      expect(refused).toEqual([]);
    },
  );

  test.each<[string, string]>([
    ['an empty string', ''],
    ['an id without a URL', ID],
    ['a host without a path', 'https://open.spotify.com'],
    ['a path without an id', 'https://open.spotify.com/track/'],
    ['an id that is one character too short', `https://open.spotify.com/track/${ID.slice(1)}`],
    ['an id that is one character too long', `https://open.spotify.com/track/${ID}0`],
    ['an id that is not base62', `https://open.spotify.com/track/${ID.slice(1)}-`],
    ['an encoded id', `https://open.spotify.com/track/%36${ID.slice(1)}`],
    ['a different host', `https://open.spotify.com.evil.example/track/${ID}`],
    ['a different host after user info', `https://open.spotify.com@evil.example/track/${ID}`],
    ['user-info', `https://me:secret@open.spotify.com/track/${ID}`],
    ["a different host, with the platform's host in the path", `https://evil.example/open.spotify.com/track/${ID}`],
    ['a sub-domain', `https://evil.open.spotify.com/track/${ID}`],
    ['www twice', `https://www.www.open.spotify.com/track/${ID}`],
    ['a different port', `https://open.spotify.com:8443/track/${ID}`],
    ["the other scheme's default port", `https://open.spotify.com:80/track/${ID}`],
    ['a different scheme', `ftp://open.spotify.com/track/${ID}`],
    ['a scheme named like an object property', `constructor://open.spotify.com/track/${ID}`],
    ['two slashes without a scheme', `//open.spotify.com/track/${ID}`],
    ['one slash', `https:/open.spotify.com/track/${ID}`],
    ['backslashes', `https:\\\\open.spotify.com\\track\\${ID}`],
    ['a double slash', `https://open.spotify.com//track/${ID}`],
    ['two slashes at the end', `https://open.spotify.com/track/${ID}//`],
    ['a longer path', `https://open.spotify.com/track/${ID}/more`],
    ['dots', `https://open.spotify.com/album/../track/${ID}`],
    ['a locale twice', `https://open.spotify.com/intl-de/intl-de/track/${ID}`],
    ["a different platform's locale", `https://open.spotify.com/de/track/${ID}`],
    ['a three-letter locale', `https://open.spotify.com/intl-deu/track/${ID}`],
    ['an upper-case path', `https://open.spotify.com/Track/${ID}`],
    ['a line feed inside', `https://open.spotify.com/track/\n${ID}`],
    ['a tab inside the scheme', `ht\ttps://open.spotify.com/track/${ID}`],
    ['NUL', `https://open.spotify.com/track/${ID}\u0000`],
    ['a full-width letter', `https://ｏpen.spotify.com/track/${ID}`],
    ['a dot after the host', `https://open.spotify.com./track/${ID}`],
    ['a URI with a slash', `spotify:track/${ID}`],
    ['a URI with an additional part', `spotify:track:${ID}:more`],
    ['a user URI', `spotify:user:me:${ID}`],
    ["a different platform's URI", `deezer:track:${NUMBER}`],
    ['more than 2,048 characters', `https://open.spotify.com/track/${ID}?${'x'.repeat(2_048)}`],
  ])('is not %s', (_, text) => {
    expect(parseTrackAddress(text, 'spotify')).toEqual({ kind: 'refused', reason: 'not_an_address' });
  });

  test.each<[string, string]>([
    ['a negative id', 'https://www.deezer.com/track/-3135556'],
    ['an id with a letter', 'https://www.deezer.com/track/3135556a'],
    ['an id of 21 digits', `https://www.deezer.com/track/${'1'.repeat(21)}`],
    ['non-ASCII digits', 'https://www.deezer.com/track/٣١٣'],
    ['a short link, because its target is unknown', 'https://link.deezer.com/s/30ABC'],
    ['a locale written in both of its forms', `https://www.deezer.com/intl-de/de/track/${NUMBER}`],
    ["another platform's host with an id from this platform", `https://open.spotify.com/track/${NUMBER}`],
  ])('on Deezer is not %s', (_, text) => {
    expect(parseTrackAddress(text, 'deezer')).toEqual({ kind: 'refused', reason: 'not_an_address' });
  });

  test('the rejection of a URL states whether it belongs to another platform or to another kind of entity', () => {
    const refused = (reason: string) => ({ kind: 'refused', reason });
    expect(parseTrackAddress(`spotify:track:${ID}`, 'deezer')).toEqual(refused('other_platform'));
    expect(parseTrackAddress(`https://deezer.com/track/${NUMBER}`, 'spotify')).toEqual(refused('other_platform'));
    expect(parseTrackAddress(`https://open.spotify.com/album/${ID}`, 'spotify')).toEqual(refused('other_kind'));
    expect(parseTrackAddress(`spotify:artist:${ID}`, 'spotify')).toEqual(refused('other_kind'));
  });

  test('the parser never throws for any input, and returns only well-formed ids', () => {
    const piece = fc.constantFrom(
      'https://',
      'open.spotify.com',
      'deezer.com',
      '/',
      ':',
      'track',
      'embed',
      'de',
      ID,
      '7',
      '?',
      ' ',
    );
    const typed = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(typed, fc.constantFrom<Platform>('deezer', 'spotify'), (text, platform) => {
        const address = parseTrackAddress(text, platform);
        if (address.kind !== 'track') return;
        expect(address.platform).toBe(platform);
        expect(address.trackId).toMatch(platform === 'deezer' ? /^[0-9]{1,20}$/ : /^[0-9A-Za-z]{22}$/);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('the URL of an artist', () => {
  test.each<[Platform, string, string]>([
    ['spotify', `https://open.spotify.com/intl-de/artist/${ID}?si=1`, ID],
    ['spotify', `spotify:artist:${ID}`, ID],
    ['deezer', 'https://www.deezer.com/en/artist/27', '27'],
  ])('on %s: %s', (platform, text, artistId) => {
    expect(parseArtistAddress(text, platform)).toEqual({ kind: 'artist', platform, artistId });
  });

  test('the URL of a track is not the URL of an artist', () => {
    const refused = { kind: 'refused', reason: 'other_kind' };
    expect(parseArtistAddress(`https://deezer.com/track/${NUMBER}`, 'deezer')).toEqual(refused);
  });
});
