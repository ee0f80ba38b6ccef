export {
  /** @public */
  type ApiCallOptions,
  ArtistWatchClient,
  /** @public */
  type ClientOptions,
  /** @public */
  type ExportedChange,
} from './client.js';
export { ArtistWatchError } from './failure.js';
export type * from './generated/api.js';
