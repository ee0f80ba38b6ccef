import {
  CHANGE_TYPES,
  isDetectedChangeType,
  nearestChangeType,
  SEVERITIES,
} from '@artist-watch/domain/change/change-types';
import {
  type ChatKind,
  chatAddressPattern,
  DESTINATION_KINDS,
  isChat,
} from '@artist-watch/domain/channel/destination-kind';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import { isUsableSigningSecret } from '@artist-watch/domain/delivery/signing-secret';
import { z } from 'zod';
import { artistIdSchema, deliveryIdSchema, ownNameSchema } from './identifiers.js';

/**
 * A full list of the longest entries fits into the 16 KiB of a body, beside an address and a secret of usual length. Of
 * two long lists each is sent by itself: what a PATCH leaves out stays.
 */
const MAX_ARTISTS = 400;
const MAX_CHANGE_TYPES = 200;

const listOf = <Entry extends z.ZodType>(entry: Entry, maxEntries: number) =>
  z.array(entry).max(maxEntries, `must have at most ${maxEntries} entries`);

const LONGEST_CHANGE_TYPE = Math.max(...Object.keys(CHANGE_TYPES).map(({ length }) => length));

/** A misspelt type would let nothing through, and nobody would notice. The list grows with the types that are known. */
const oneOfChangeTypes = z.string().meta({ enum: Object.keys(CHANGE_TYPES), example: 'release_removed' });

const changeTypesSchema = listOf(oneOfChangeTypes, MAX_CHANGE_TYPES).superRefine((types, context) => {
  const place = types.findIndex((type) => !isDetectedChangeType(type));
  const unknown = types[place];
  if (unknown !== undefined) context.addIssue({ code: 'custom', path: [place], message: unknownType(unknown) });
});

const changeTypeSchema = oneOfChangeTypes.transform((type, context) => {
  if (isDetectedChangeType(type)) return type;
  context.addIssue({ code: 'custom', message: unknownType(type) });
  return z.NEVER;
});

/** What is longer than any type is cut, so that a long text costs no long comparison. */
function unknownType(text: string): string {
  return `is not a known change type; the nearest is ${nearestChangeType(text.slice(0, 2 * LONGEST_CHANGE_TYPE))}`;
}

export const rulesInputSchema = z
  .strictObject({
    min_severity: z
      .enum(SEVERITIES, { error: `must be one of ${SEVERITIES.join(', ')}, or null` })
      .nullable()
      .optional()
      .describe('The lowest severity that passes; null for every one.'),
    change_types: changeTypesSchema
      .optional()
      .describe(`Known types, listed at \`type\` of a change; empty for every type; at most ${MAX_CHANGE_TYPES}.`),
    artist_ids: listOf(artistIdSchema, MAX_ARTISTS)
      .optional()
      .describe(`Empty for every watched artist; at most ${MAX_ARTISTS}.`),
  })
  .meta({
    id: 'DestinationRulesInput',
    description:
      'What is left out lets everything through, or stays as it is. Two long lists are best sent in two requests: a body ' +
      'has at most 16 KiB.',
  });

/** The rules that were given, each entry once; what was left out is left out. */
export function rulesFrom(input: z.output<typeof rulesInputSchema> | undefined): Partial<DestinationRules> {
  if (!input) return {};
  const { min_severity: minSeverity, change_types: changeTypes, artist_ids: artistIds } = input;
  return {
    ...(minSeverity !== undefined && { minSeverity }),
    ...(changeTypes && { changeTypes: [...new Set(changeTypes)] }),
    ...(artistIds && { artistIds: [...new Set(artistIds)] }),
  };
}

const PORT =
  '(?:80|443|102[4-9]|10[3-9][0-9]|1[1-9][0-9]{2}|[2-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

const urlSchema = z.string().meta({
  description:
    'An absolute http or https address on the public internet; port 80, 443 or 1024 to 65535, no user info. The pattern ' +
    'is that of addresses by name; a public IP address in place of the name is accepted too.',
  pattern: `^[Hh][Tt][Tt][Pp][Ss]?://(?:${LABEL}\\.){1,20}[A-Za-z]{2,63}(?::${PORT})?(?:[/?#][!-\\[\\]-~]*)?$`,
  maxLength: 2_048,
  example: 'https://receiver.example/webhooks',
});

/** What a chat destination is created with besides, as its description says it; `domain/channel` decides. */
const ofChat = (kind: ChatKind) => ({
  if: { properties: { kind: { const: kind } }, required: ['kind'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: {
    properties: { url: { type: 'string', pattern: chatAddressPattern(kind) }, secret: { enum: ['generate', null] } },
  },
});

export const createDestinationSchema = z
  .strictObject({
    name: ownNameSchema.optional(),
    kind: z
      .enum(DESTINATION_KINDS, { error: `must be one of ${DESTINATION_KINDS.join(', ')}` })
      .default('webhook')
      .describe(
        'A webhook of your own (Business), or a channel of Slack or Discord (from Starter on), whose incoming-webhook ' +
          'address is the url: it holds a secret, and no answer shows all of it.',
      ),
    url: urlSchema,
    secret: z
      .string()
      .refine((secret) => secret === 'generate' || isUsableSigningSecret(secret), {
        error: 'must be "generate", 16 to 256 printable ASCII characters without a comma, or null for unsigned',
      })
      .nullable()
      .default('generate')
      .meta({
        description:
          '"generate", one of your own with 16 to 256 printable ASCII characters without a comma, or null for unsigned ' +
          'webhooks. Slack and Discord destinations have none.',
        pattern: '^(?:generate|[ -+\\--~]{16,256})$',
      }),
    rules: rulesInputSchema.optional(),
  })
  .refine(({ kind, secret }) => !isChat(kind) || secret === 'generate' || secret === null, {
    path: ['secret'],
    error: 'is for webhooks; leave it out for Slack and Discord',
  })
  .meta({ id: 'CreateDestination', ...ofChat('slack'), else: ofChat('discord') });

/** `PATCH /destinations/{id}`: what is left out stays. */
export const updateDestinationSchema = z
  .strictObject({ name: ownNameSchema.optional(), url: urlSchema.optional(), rules: rulesInputSchema.optional() })
  .meta({ id: 'UpdateDestination' });

/** An instant of a body: the handler parses it, for an error of its own. */
export const instantText = (description: string, example = '2026-05-01T12:00:00Z') =>
  z.string().meta({ description, format: 'date-time', example });

/** What every recovery takes beside the beginning of its range. */
export const endOfRecovery = {
  until: instantText(
    'RFC 3339 instant with a zone, after since: only deliveries made before it. No end unless given.',
    '2026-05-02T12:00:00Z',
  ).optional(),
};
export const recoveryCursor = {
  cursor: deliveryIdSchema
    .optional()
    .describe('`next_cursor` of the call before, with the same range and filters: the recovery continues after it.'),
};
export const dryRun = {
  dry_run: z.boolean().default(false).describe('True to send nothing, and to see what would be sent.'),
};

export const recoverRequestSchema = z
  .strictObject({
    since: instantText(
      'RFC 3339 instant with a zone; deliveries made from then on, inclusive. What was pending when a destination was ' +
        'switched off was made before that: take the time of its first warning, or earlier.',
    ),
    ...endOfRecovery,
    ...recoveryCursor,
    ...dryRun,
  })
  .meta({ id: 'RecoverRequest' });

export const recoveredSchema = z
  .object({
    recovered: z.int().nonnegative().describe('Deliveries that are being sent, at most 10,000 per call.'),
    remaining: z.int().nonnegative().describe('Matching deliveries after these. Continue with `next_cursor`.'),
    next_cursor: deliveryIdSchema.nullable().describe('The `cursor` of the next call; null if nothing remains.'),
  })
  .meta({ id: 'Recovered' });

export const testRequestSchema = z
  .strictObject({
    change_type: changeTypeSchema.optional().describe('The type of the sample change; release_added unless given.'),
    wait_seconds: z
      .number()
      .min(0, 'must be 0 to 10')
      .max(10, 'must be 0 to 10')
      .default(5)
      .describe('For how long to wait for the attempt at most; 5 unless given.'),
  })
  .meta({ id: 'TestRequest' });

export const rotateSecretSchema = z
  .strictObject({
    replace: z
      .boolean()
      .default(false)
      .describe('True to discard a next secret that is not active yet. Receivers must remove it.'),
  })
  .meta({ id: 'RotateSecretRequest' });
