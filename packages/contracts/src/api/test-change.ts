import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import { z } from 'zod';
import { changeSchema } from './change.js';
import { typeSchema } from './change-filter.js';
import { deliverySchema } from './delivery.js';
import { oneOf } from './enums.js';
import { artistIdSchema } from './identifiers.js';

export const createTestChangeSchema = z
  .strictObject({
    type: typeSchema.default('release_removed').describe('Any type in snake_case. Default: release_removed.'),
    artist_id: artistIdSchema.optional().describe('A watched artist. Default: a sample artist.'),
    severity: oneOf(SEVERITIES)
      .optional()
      .describe('Default: the severity of the type, or `info` for an unknown type.'),
  })
  .meta({ id: 'CreateTestChange' });

export const createdTestChangeSchema = z
  .object({
    change: changeSchema,
    deliveries: z.array(deliverySchema).describe('One for each destination whose rules match.'),
  })
  .meta({ id: 'CreatedTestChange', description: 'A test change and its deliveries.' });
