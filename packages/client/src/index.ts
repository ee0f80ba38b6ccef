export {
  /** @public */
  type ApiCallOptions,
  ArtistWatchClient,
  /** @public */
  type ClientOptions,
} from './client.js';
export { ArtistWatchError } from './error.js';
export type * from './generated/api.js';
