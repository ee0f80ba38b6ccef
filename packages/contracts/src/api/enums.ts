import { CHANGE_TYPES, ENTITY_TYPES, SEVERITIES } from '@artist-watch/domain/change/change-types';
import { z } from 'zod';

/** OpenAPI cannot describe an enum that may grow. Some code generators support this extension instead. */
const KNOWN_VALUES = 'x-extensible-enum';

/** Documents response enums as strings, so that clients accept values added later. */
export function openEnum<const Values extends readonly string[]>(values: Values, meaning = '') {
  const known = `Known values: ${values.map((value) => `\`${value}\``).join(', ')}. New values may be added, so accept unknown ones.`;
  return z
    .enum(values)
    .meta({ type: 'string', [KNOWN_VALUES]: [...values], description: `${meaning} ${known}`.trim() });
}

/** Metadata for a nullable enum. */
export const OR_NULL = { type: ['string', 'null'] } satisfies { type: ('string' | 'null')[] };

/** Documents request enums as patterns, because code generators emit a file for each enum. */
export function oneOf<const Values extends readonly string[]>(values: Values, orElse = '') {
  return z
    .enum(values, { error: `must be one of ${values.join(', ')}${orElse}` })
    .meta({ type: 'string', pattern: `^(?:${values.join('|')})$`, [KNOWN_VALUES]: [...values] });
}

export const severitySchema = openEnum(SEVERITIES, 'The severity of a change, highest first.').meta({ id: 'Severity' });

export const entityTypeSchema = openEnum(ENTITY_TYPES, 'The kind of entity that changed.').meta({ id: 'EntityType' });

const KNOWN_TYPES = Object.keys(CHANGE_TYPES);

export const changeTypeSchema = z.string().meta({
  id: 'ChangeType',
  description: `Known values: ${KNOWN_TYPES.map((type) => `\`${type}\``).join(', ')}. New values may be added, so accept unknown ones.`,
  [KNOWN_VALUES]: KNOWN_TYPES,
  example: 'release_removed',
});
