import { z } from 'zod';

/** Ids as packages/runtime/src/ids.ts makes them. What has another form is no id of ours, and is never looked up. */
const idSchema = (prefix: string, of: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-f]{32}$`), `must be the id of ${of}, ${prefix}_…`)
    .meta({ example: `${prefix}_019e0f0c8c00b2f7a1d43e5f60718293` });

export const artistIdSchema = idSchema('art', 'an artist');
export const changeIdSchema = idSchema('chg', 'a change');
export const destinationIdSchema = idSchema('dst', 'a destination');
export const feedIdSchema = idSchema('fed', 'a feed');
export const deliveryIdSchema = idSchema('dlv', 'a delivery');
