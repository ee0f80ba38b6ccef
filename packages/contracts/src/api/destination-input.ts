import {
  CHANGE_TYPES,
  editDistance,
  isDetectedChangeType,
  nearestChangeType,
  SEVERITIES,
} from '@artist-watch/domain/change/change-types';
import {
  CHAT_TITLES,
  type ChatKind,
  chatAddressPattern,
  chatKindOf,
  DESTINATION_KINDS,
  isChat,
} from '@artist-watch/domain/channel/destination-kind';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import {
  customHeadersProblem,
  HEADER_NAME,
  HEADER_VALUE,
  isUsableSigningSecret,
  MAX_CUSTOM_HEADERS,
} from '@artist-watch/domain/delivery/webhook-options';
import { z } from 'zod';
import { MAX_GROUPS } from './artist.js';
import { typeSchema } from './change-filter.js';
import {
  artistIdSchema,
  clearable,
  deliveryIdSchema,
  groupIdSchema,
  OR_NULL,
  oneOf,
  openEnum,
  ownNameSchema,
} from './fields.js';

/** A list of 400 ids, a URL and a secret fit into a 16 KiB body. */
const MAX_ARTISTS = 400;
const MAX_CHANGE_TYPES = 200;

const listOf = <Entry extends z.ZodType>(entry: Entry, maxEntries: number) =>
  z.array(entry).max(maxEntries, `must have at most ${maxEntries} entries`);

const LONGEST_CHANGE_TYPE = Math.max(...Object.keys(CHANGE_TYPES).map(({ length }) => length));

const sampleTypeSchema = z
  .string()
  .transform((type, context) => {
    if (isDetectedChangeType(type)) return type;
    context.addIssue({ code: 'custom', message: unknownType(type) });
    return z.NEVER;
  })
  .meta({ type: 'string', pattern: `^(?:${Object.keys(CHANGE_TYPES).join('|')})$`, example: 'release_removed' });

function unknownType(text: string): string {
  // Cut the text first, because comparing long texts is slow.
  return `is not a known change type; the closest match is ${nearestChangeType(text.slice(0, 2 * LONGEST_CHANGE_TYPE))}`;
}

const MAX_TYPOS = 3;

export const ruleWarningSchema = z
  .object({
    param: z.string(),
    code: openEnum(['unknown_change_type']),
    message: z.string().describe('Human-readable.'),
  })
  .meta({ id: 'RuleWarning', description: 'A warning about a rule that is probably a mistake.' });

/** Warns about unknown change types, because a misspelled type would never match. */
export function ruleWarnings(changeTypes: readonly string[]): z.infer<typeof ruleWarningSchema>[] {
  return changeTypes.flatMap((type, index) => {
    if (isDetectedChangeType(type)) return [];
    const nearest = nearestChangeType(type);
    const suggestion = editDistance(type, nearest) <= MAX_TYPOS ? ` Did you mean ${nearest}?` : '';
    return {
      param: `rules.change_types.${index}`,
      code: 'unknown_change_type' as const,
      message: `"${type}" is not one of our change types.${suggestion} Ignore this warning if another detector reports this type.`,
    };
  });
}

export const rulesInputSchema = z
  .strictObject({
    min_severity: clearable(oneOf(SEVERITIES, ', or null').nullable().meta(OR_NULL))
      .optional()
      .describe('The lowest severity to send. Null sends all severities.'),
    change_types: listOf(typeSchema, MAX_CHANGE_TYPES)
      .optional()
      .describe(
        `Up to ${MAX_CHANGE_TYPES} change types in snake_case (see \`ChangeType\`). An empty list sends all types. ` +
          'Unknown types produce a warning in `rule_warnings`.',
      ),
    artist_ids: listOf(artistIdSchema, MAX_ARTISTS)
      .optional()
      .describe(
        `Up to ${MAX_ARTISTS} artist ids. If this list and \`group_ids\` are both empty, changes to all watched artists are sent.`,
      ),
    group_ids: listOf(groupIdSchema, MAX_GROUPS)
      .optional()
      .describe(`Up to ${MAX_GROUPS} group ids. Changes to the artists in these groups are sent too.`),
  })
  .meta({
    id: 'DestinationRulesInput',
    description:
      'An omitted rule excludes nothing from a new destination, and stays unchanged in an update. ' +
      'A body can have at most 16 KiB, so send two long lists in two requests.',
  });

export function rulesFrom(input: z.output<typeof rulesInputSchema> | undefined): Partial<DestinationRules> {
  if (!input) return {};
  const { min_severity: minSeverity, change_types: changeTypes, artist_ids: artistIds, group_ids: groupIds } = input;
  return {
    ...(minSeverity !== undefined && { minSeverity }),
    ...(changeTypes && { changeTypes: [...new Set(changeTypes)] }),
    ...(artistIds && { artistIds: [...new Set(artistIds)] }),
    ...(groupIds && { groupIds: [...new Set(groupIds)] }),
  };
}

const PORT =
  '(?:80|443|102[4-9]|10[3-9][0-9]|1[1-9][0-9]{2}|[2-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

const urlSchema = z.string().meta({
  description:
    'An absolute http or https URL on the public internet, with port 80, 443 or 1024 to 65535, and without user info. ' +
    'A public IP address is also accepted, although the pattern requires a host name.',
  pattern: `^[Hh][Tt][Tt][Pp][Ss]?://(?:${LABEL}\\.){1,20}[A-Za-z]{2,63}(?::${PORT})?(?:[/?#][!-\\[\\]-~]*)?$`,
  maxLength: 2_048,
  example: 'https://receiver.example/webhooks',
});

/** Only describes the URL in OpenAPI. The validation is in `domain/channel`. */
const ofChat = (kind: ChatKind) => ({
  if: { properties: { kind: { const: kind } }, required: ['kind'] },
  // biome-ignore lint/suspicious/noThenProperty: `then` is a JSON Schema keyword.
  then: {
    properties: { url: { type: 'string', pattern: chatAddressPattern(kind) }, secret: { enum: ['generate', null] } },
  },
});

const standardWebhooksSchema = z
  .boolean()
  .describe(
    'If true, requests also have the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks (https://www.standardwebhooks.com), so that its libraries can verify them. ' +
      'For webhooks only. Default: false.',
  );

export const headersSchema = z
  .array(
    z.strictObject({
      name: z.string().meta({ pattern: HEADER_NAME.source, example: 'Authorization' }),
      value: z.string().meta({ pattern: HEADER_VALUE.source, example: 'Bearer 5f1c0f0e' }),
    }),
  )
  .superRefine((headers, context) => {
    const message = customHeadersProblem(headers);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({
    description:
      `Up to ${MAX_CUSTOM_HEADERS} headers to add to each request. ` +
      'An update replaces the whole list, and [] removes all headers. ' +
      'If you change the scheme, host or port of the URL, send the headers again. Values are encrypted and never shown. ' +
      'You cannot use `X-Service-*`, `webhook-*`, `Content-*`, `Proxy-*`, `Host`, `User-Agent`, `Expect` or connection headers such as `Connection` and `Transfer-Encoding`. ' +
      'For webhooks only.',
    maxItems: MAX_CUSTOM_HEADERS,
  });

export const createDestinationSchema = z
  .strictObject({
    name: ownNameSchema.optional(),
    kind: oneOf(DESTINATION_KINDS)
      .default('webhook')
      .describe(
        '`webhook` is your own endpoint (Business plan). ' +
          'An incoming-webhook URL from Slack or Discord requires `slack` or `discord` (Starter and up). ' +
          'Such a URL contains a secret, so responses show only part of it.',
      ),
    url: urlSchema,
    secret: clearable(
      z
        .string()
        .refine((secret) => secret === 'generate' || isUsableSigningSecret(secret), {
          error:
            'must be "generate", 16 to 256 printable ASCII characters without a comma, or null for unsigned webhooks',
        })
        .nullable(),
    )
      .default('generate')
      .meta({
        description:
          '"generate", your own secret of 16 to 256 printable ASCII characters without a comma, or null for unsigned webhooks. ' +
          'Slack and Discord destinations have no secret.',
        pattern: '^(?:generate|[ -+\\--~]{16,256})$',
      }),
    headers: headersSchema.optional(),
    standard_webhooks: standardWebhooksSchema.optional(),
    rules: rulesInputSchema.optional(),
  })
  .refine(({ kind, headers = [] }) => !isChat(kind) || headers.length === 0, {
    path: ['headers'],
    error: 'is for webhooks only; omit it for Slack and Discord',
  })
  .refine(({ kind, standard_webhooks }) => !isChat(kind) || !standard_webhooks, {
    path: ['standard_webhooks'],
    error: 'is for webhooks only; omit it for Slack and Discord',
  })
  .refine(({ kind, secret }) => !isChat(kind) || secret === 'generate' || secret === null, {
    path: ['secret'],
    error: 'is for webhooks only; omit it for Slack and Discord',
  })
  .superRefine(({ kind, url }, context) => {
    const chatKind = chatKindOf(url);
    if (isChat(kind) || !chatKind) return;
    const message = `must be "${chatKind}", because the URL is a ${CHAT_TITLES[chatKind]} incoming-webhook URL`;
    context.addIssue({ code: 'custom', path: ['kind'], message });
  })
  .meta({ id: 'CreateDestination', ...ofChat('slack'), else: ofChat('discord') });

/** Omitted fields stay unchanged. */
export const updateDestinationSchema = z
  .strictObject({
    name: ownNameSchema.optional(),
    url: urlSchema.optional(),
    headers: headersSchema.optional(),
    standard_webhooks: standardWebhooksSchema.optional(),
    rules: rulesInputSchema.optional(),
  })
  .meta({ id: 'UpdateDestination' });

/** The handler parses the time, because an invalid `since` has its own error code. */
export const instantText = (description: string, example = '2026-05-01T12:00:00Z') =>
  z.string().meta({ description, format: 'date-time', example });

export const endOfRecovery = {
  until: instantText(
    'An RFC 3339 time with a time zone, after `since`. Only deliveries created before this time are sent. Default: no end.',
    '2026-05-02T12:00:00Z',
  ).optional(),
};
export const recoveryCursor = {
  cursor: deliveryIdSchema
    .optional()
    .describe('To continue a recovery, the `next_cursor` of the previous call. Send the same time range and filters.'),
};
export const dryRun = {
  dry_run: z.boolean().default(false).describe('If true, deliveries are counted but not sent.'),
};

export const recoverRequestSchema = z
  .strictObject({
    since: instantText(
      'An RFC 3339 time with a time zone. Only deliveries created at this time or later are sent. ' +
        'To include deliveries that were pending when the destination was switched off, use the time of the first warning or earlier.',
    ),
    ...endOfRecovery,
    ...recoveryCursor,
    ...dryRun,
  })
  .meta({ id: 'RecoverRequest' });

export const recoveredSchema = z
  .object({
    recovered: z.int().nonnegative().describe('Number of deliveries that this call sends, at most 10,000.'),
    remaining: z
      .int()
      .nonnegative()
      .describe('Number of matching deliveries that remain. Send `next_cursor` to continue.'),
    next_cursor: deliveryIdSchema.nullable().describe('The `cursor` for the next call. Null if nothing remains.'),
  })
  .meta({ id: 'Recovered' });

export const testRequestSchema = z
  .strictObject({
    change_type: sampleTypeSchema.optional().describe('The type of the sample change. Default: release_added.'),
    wait_seconds: z
      .number()
      .min(0, 'must be 0 to 15')
      .max(15, 'must be 0 to 15')
      .default(5)
      .describe(
        'The maximum time to wait for the attempt, in seconds. 12 seconds is enough, even if the receiver does not ' +
          'respond.',
      ),
  })
  .meta({ id: 'TestRequest' });

export const rotateSecretSchema = z
  .strictObject({
    replace: z.boolean().default(false).describe('If true, discards a pending next secret. Receivers must remove it.'),
  })
  .meta({ id: 'RotateSecretRequest' });
