export {
  /** @public */
  type ApiCallOptions,
  ArtistWatchClient,
  /** @public */
  type ClientOptions,
  /** @public */
  type ExportedChange,
} from './client.js';
export { ArtistWatchError } from './error.js';
export type * from './generated/api.js';
