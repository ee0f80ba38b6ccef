import type { ArtistId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import { get, type Page, page } from '../../application/page.js';
import type { PageParts } from '../parts.js';
import { readArtist, readLive } from './query.js';
import { artistView, LIVE, liveView } from './view.js';

/** Number of releases on earlier pages. */
const OFFSET = /^[1-9]\d{0,5}$/;

/** Serves `/artists/ID`. */
export function artistPages({ reads, watching }: PageParts): Page[] {
  return [
    get('/artists/:artist', 'member', async (visit) => {
      const { artistName } = visit;
      if (artistName === undefined) throw new NotFound('artist');
      const artistId = visit.params.artist as ArtistId;
      if (visit.fragment === LIVE) {
        const live = await readLive(reads, watching, visit, artistId);
        return { kind: 'fragment', body: liveView({ link: visit.link, artistId, ...live }) };
      }
      const text = visit.query.get('releases') ?? '';
      const offset = OFFSET.test(text) ? Number(text) : 0;
      await visit.begin(artistName);
      const shown = await readArtist(reads, watching, visit, { artistId, offset });
      return page(shown.artist.name, artistView({ ...visit, ...shown, offset }));
    }),
  ];
}
