import * as access from './access-operations.js';
import * as account from './account-operations.js';
import * as artists from './artist-operations.js';
import * as changes from './change-operations.js';
import * as deliveries from './delivery-operations.js';
import * as destinations from './destination-operations.js';
import * as feeds from './feed-operations.js';
import type { ApiOperation } from './operation.js';
import * as tools from './tool-operations.js';

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];

/** Every operation of the API, in the order of the documentation: by group, path and method. */
export const ALL_OPERATIONS: readonly ApiOperation[] = [
  changes,
  feeds,
  account,
  access,
  artists,
  tools,
  destinations,
  deliveries,
].flatMap((operations) => Object.values<ApiOperation>(operations).sort(byPathAndMethod));

function byPathAndMethod(a: ApiOperation, b: ApiOperation): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return METHODS.indexOf(a.method) - METHODS.indexOf(b.method);
}
