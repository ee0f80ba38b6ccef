import {
  ACCESS_OPERATIONS,
  ACCOUNT_OPERATIONS,
  EGRESS_OPERATIONS,
  FEED_OPERATIONS,
  GROUP_OPERATIONS,
  TOOL_OPERATIONS,
} from './account-operations.js';
import { ARTIST_OPERATIONS } from './artist-operations.js';
import { CHANGE_OPERATIONS } from './change-operations.js';
import { DELIVERY_OPERATIONS } from './delivery-operations.js';
import { DESTINATION_OPERATIONS } from './destination-operations.js';
import type { ApiOperation } from './operation.js';

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];

/** The documentation lists the operations in this order. */
export const ALL_OPERATIONS: readonly ApiOperation[] = [
  CHANGE_OPERATIONS,
  FEED_OPERATIONS,
  ACCOUNT_OPERATIONS,
  ACCESS_OPERATIONS,
  ARTIST_OPERATIONS,
  GROUP_OPERATIONS,
  TOOL_OPERATIONS,
  DESTINATION_OPERATIONS,
  EGRESS_OPERATIONS,
  DELIVERY_OPERATIONS,
].flatMap((operations) => Object.values<ApiOperation>(operations).sort(byPathAndMethod));

function byPathAndMethod(a: ApiOperation, b: ApiOperation): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return METHODS.indexOf(a.method) - METHODS.indexOf(b.method);
}
