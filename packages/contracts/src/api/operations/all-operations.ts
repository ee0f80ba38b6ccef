import * as account from './account-operations.js';
import * as deliveries from './delivery-operations.js';
import * as destinations from './destination-operations.js';
import type { ApiOperation } from './operation.js';
import * as tools from './tool-operations.js';

/** Every operation of the API. */
export const ALL_OPERATIONS: readonly ApiOperation[] = [account, tools, destinations, deliveries].flatMap(
  (operations) => Object.values<ApiOperation>(operations),
);
