import type { Identity } from '../../../application/access/identity.js';
import type { ArtistList } from '../../../application/reading/ports.js';

/** The artists that the account watches: the body as it is sent. */
export async function listArtists(artists: ArtistList, { accountId }: Identity, now: Date): Promise<string> {
  return `{"data":${await artists.readJson(accountId, now)}}`;
}
