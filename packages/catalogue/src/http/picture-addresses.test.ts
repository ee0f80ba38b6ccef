import { PICTURE_ORIGINS, picturePath } from '@artist-watch/domain/platform/picture-file';
import { describe, expect, test } from '@jest/globals';
import { listedAlbumSchema as deezerAlbum, artistSchema as deezerArtist } from '../deezer/responses.js';
import { listedAlbumSchema as spotifyAlbum, artistSchema as spotifyArtist } from '../spotify/responses.js';

const ARTIST_MD5 = 'f2bc007e9133c946ac3c3907ddc5d2ea';
const COVER_MD5 = '311bba0fc112d15f72c8b5a65f0456c1';
const SPOTIFY_ARTIST = 'https://i.scdn.co/image/ab6761610000e5ebeaca358712b3fe4ed9814640';
const SPOTIFY_COVER = 'https://i.scdn.co/image/ab67616d0000b273d50eac8c4023cf2b40413656';

describe("picture URLs are built from the ids in the platform's URLs", () => {
  test.each(['cdn-images', 'cdns-images', 'e-cdn-images', 'e-cdns-images'])(
    "a Deezer artist's picture URL contains the id from the URL at %s",
    (host) => {
      const at = (size: number, id = ARTIST_MD5) =>
        `https://${host}.dzcdn.net/images/artist/${id}/${size}x${size}-000000-80-0-0.jpg`;
      const { picture_xl: id = '' } = deezerArtist.parse({ id: 27, name: 'Daft Punk', picture_xl: at(1000) });
      const address = `${PICTURE_ORIGINS.deezer}${picturePath('deezer', 'artist', id)}`;
      expect(address).toBe(at(500).replace(host, 'cdn-images'));
      expect(deezerArtist.parse({ id: 27, name: 'Daft Punk', picture_xl: at(1000, '') }).picture_xl).toBeUndefined();
    },
  );

  test("a Deezer release's picture URL contains the id that Deezer returned", () => {
    const album = { id: 6575789, title: 'Random Access Memories', md5_image: COVER_MD5, record_type: 'album' };
    const { md5_image: id = '' } = deezerAlbum.parse(album);
    expect(`${PICTURE_ORIGINS.deezer}${picturePath('deezer', 'release', id)}`).toBe(
      `https://cdn-images.dzcdn.net/images/cover/${COVER_MD5}/500x500-000000-80-0-0.jpg`,
    );
  });

  test('on Spotify, the URL of the first picture is used, because it is the largest', () => {
    const images = (url: string) => [{ url, height: 640, width: 640 }];
    const artist = spotifyArtist.parse({
      id: '5a2EaR3hamoenG9rDuVn8j',
      name: 'Prince',
      images: images(SPOTIFY_ARTIST),
    });
    const album = spotifyAlbum.parse({
      ...{ id: '3DYB0yIQYuOge2RjS7qHjs', name: 'Popularity', album_type: 'album', release_date: '2006-01-01' },
      images: images(SPOTIFY_COVER),
    });
    const addressOf = (of: 'artist' | 'release', id = '') =>
      `${PICTURE_ORIGINS.spotify}${picturePath('spotify', of, id)}`;
    expect(addressOf('artist', artist.images)).toBe(SPOTIFY_ARTIST);
    expect(addressOf('release', album.images)).toBe(SPOTIFY_COVER);
  });
});
