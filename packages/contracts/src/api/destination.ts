import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import { DESTINATION_KINDS } from '@artist-watch/domain/channel/destination-kind';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import { currentWarnings } from '@artist-watch/domain/delivery/retry-schedule';
import { HIDDEN_HEADER_VALUE } from '@artist-watch/domain/delivery/webhook-options';
import { z } from 'zod';
import { rulesInputSchema, ruleWarningSchema, ruleWarnings } from './destination-input.js';
import {
  artistIdSchema,
  changeIdSchema,
  changeTypeSchema,
  destinationIdSchema,
  entityTypeSchema,
  instantSchema,
  OR_NULL,
  openEnum,
  presenter,
  type Shown,
  severitySchema,
} from './fields.js';

const ofNotice = {
  at: instantSchema,
  consecutive_failures: z.int().nonnegative().describe('Number of failed attempts in a row at that time.'),
  message: z.string(),
  last_status: z
    .int()
    .nullable()
    .describe('The HTTP status of the last failed attempt. Null if there was no response.'),
  last_error: z
    .string()
    .nullable()
    .describe('The `error` of the last failed attempt. Null if the event is not about a failure.'),
};

const warningSchema = z
  .object({
    kind: openEnum(['warning', 'switched_off']),
    code: z.string().describe('The same value as `kind`.'),
    ...ofNotice,
  })
  .meta({ id: 'DestinationWarning' });

const NOTICE_KINDS = [
  'warning',
  'switched_off',
  'disabled',
  'enabled',
  'secret_rotated',
  'secret_activated',
  'paused_by_plan',
  'resumed_by_plan',
] as const;

const noticeSchema = z
  .object({
    id: z.string(),
    kind: openEnum(NOTICE_KINDS),
    code: z.string().describe('The same value as `kind`.'),
    ...ofNotice,
  })
  .meta({ id: 'DestinationNotice', description: 'A destination event.' });

const rulesSchema = z
  .object({
    min_severity: openEnum(SEVERITIES, 'The lowest severity that is sent. Null means all severities.')
      .nullable()
      .meta(OR_NULL),
    change_types: z.array(z.string()).describe('The change types that are sent. An empty list means all types.'),
    artist_ids: z
      .array(z.string())
      .describe(
        'Changes to these artists are sent. If this list and `group_ids` are both empty, changes to all watched artists are sent.',
      ),
    group_ids: z.array(z.string()).describe('Changes to the artists in these groups are sent too.'),
  })
  .meta({
    id: 'DestinationRules',
    description:
      'Selects the changes that a destination receives. A change must match the severity, the types, and the artists or groups. ' +
      'A change matches a list if it matches any entry.',
  });

const switchOffSchema = z
  .object({
    code: openEnum(
      ['switched_off', 'disabled'],
      '`switched_off`: switched off after too many failures. `disabled`: switched off by request.',
    ),
    at: instantSchema,
    consecutive_failures: ofNotice.consecutive_failures,
    last_status: ofNotice.last_status,
    last_error: ofNotice.last_error,
  })
  .meta({ id: 'SwitchOff' });

const statsSchema = z
  .object({
    deliveries: z.int().nonnegative().describe('Number of deliveries. At most the newest 10,000 are counted.'),
    pending: z.int().nonnegative(),
    succeeded: z.int().nonnegative(),
    failed: z.int().nonnegative(),
    skipped: z.int().nonnegative(),
  })
  .meta({
    id: 'DestinationStats',
    description: 'Number of deliveries in each state, not counting tests.',
  });

const destinationFields = z.object({
  id: destinationIdSchema,
  name: z.string().nullable().describe('A name that you chose. Null if there is none.'),
  kind: openEnum(DESTINATION_KINDS),
  url: z.string().describe('The URL. For Slack and Discord, the secret part is omitted.'),
  state: openEnum(['active', 'off'], 'If a destination is `off`, only tests are sent to it.'),
  paused_by_plan: z
    .boolean()
    .describe(
      'True if the plan no longer includes destinations of this kind. In that case, nothing is sent, regardless of `state`.',
    ),
  signed: z.boolean().describe('True if webhooks to this destination are signed.'),
  next_secret_pending: z
    .boolean()
    .describe('True after rotate-secret and before activate-secret, while the next secret is not active yet.'),
  headers: z
    .array(z.object({ name: z.string(), value: z.string().describe(`Always \`${HIDDEN_HEADER_VALUE}\`.`) }))
    .describe(
      'Your custom headers, sent with every request. Their values are never shown. Always empty for Slack and Discord.',
    ),
  standard_webhooks: z
    .boolean()
    .describe('True if webhooks also have the headers of Standard Webhooks. Always false for Slack and Discord.'),
  rules: rulesSchema,
  rule_warnings: z.array(ruleWarningSchema).describe('Warnings about rules that are probably mistakes. Usually empty.'),
  consecutive_failures: z
    .int()
    .nonnegative()
    .describe('Number of failed attempts in a row. The 20th failure switches the destination off.'),
  created_at: instantSchema,
  switched_off_at: instantSchema.nullable(),
  switched_off_reason: z.string().nullable().describe('A human-readable sentence. Programs should use `switched_off`.'),
  switched_off: switchOffSchema.nullable().describe('Null if the destination is active.'),
  stats_24h: statsSchema.describe('Deliveries in the last 24 hours.'),
  warnings: z
    .array(warningSchema)
    .describe('Warnings about the current run of failures, newest first. Empty after a success or `enable`.'),
  notices: z.array(noticeSchema).describe('Events, newest first: the last 20 about failures and the last 20 others.'),
});

/** See docs/api/requests.md. */
export const destinationSchema = destinationFields.meta({
  id: 'Destination',
  description: 'A webhook, or a Slack or Discord channel, that receives changes.',
});

export const createdDestinationSchema = destinationFields
  .extend({
    secret: z
      .string()
      .nullable()
      .describe('The signing secret, shown only in this response. Null for unsigned webhooks.'),
  })
  .meta({ id: 'CreatedDestination' });

export const rotatedDestinationSchema = destinationFields
  .extend({
    next_secret: z
      .string()
      .describe('The next signing secret, shown only in this response. activate-secret activates it.'),
  })
  .meta({ id: 'RotatedDestination' });

/** A single page is enough, because the plan limits the number of destinations. */
export const destinationListSchema = z
  .object({ data: z.array(destinationSchema).describe('Newest first.'), next_cursor: z.null() })
  .meta({ id: 'DestinationList' });

export type DestinationItem = z.infer<typeof destinationSchema>;

export type ShownDestination = Omit<
  Shown<DestinationItem>,
  'rules' | 'ruleWarnings' | 'switchedOff' | 'warnings' | 'notices'
> & {
  readonly rules: DestinationRules;
  /** Newest first. */
  readonly notices: readonly ShownNotice[];
};

/** In responses, `reason` is called `message`. */
export type ShownNotice = Omit<Shown<z.infer<typeof noticeSchema>>, 'message' | 'code'> & { readonly reason: string };

const present = presenter(destinationSchema);
const presentRules = presenter(rulesSchema);
const presentNotice = presenter(noticeSchema);
const presentWarning = presenter(warningSchema);

export function presentDestination({ rules, notices, ...destination }: ShownDestination): DestinationItem {
  const warnings = currentWarnings(notices, destination.consecutiveFailures);
  return present({
    ...destination,
    rules: presentRules(rules),
    ruleWarnings: ruleWarnings(rules.changeTypes),
    switchedOff: destination.state === 'off' ? switchOffOf(notices) : null,
    warnings: warnings.map(({ reason, ...warning }) =>
      presentWarning({ ...warning, code: warning.kind, message: reason }),
    ),
    notices: notices.map(({ reason, ...notice }) => presentNotice({ ...notice, code: notice.kind, message: reason })),
  });
}

const presentSwitchOff = presenter(switchOffSchema);

function switchOffOf(notices: readonly ShownNotice[]): z.infer<typeof switchOffSchema> | null {
  for (const { kind, ...notice } of notices) {
    if (kind === 'switched_off' || kind === 'disabled') return presentSwitchOff({ ...notice, code: kind });
  }
  return null;
}

const RULES = ['min_severity', 'change_types', 'artist_ids'] as const;

export const previewRulesSchema = z.strictObject({ rules: rulesInputSchema }).meta({ id: 'PreviewRulesRequest' });

export const previewedChangeSchema = z
  .object({
    id: changeIdSchema,
    type: changeTypeSchema,
    severity: severitySchema,
    entity_type: entityTypeSchema,
    entity_name: z.string(),
    artist_id: artistIdSchema,
    artist_name: z.string().describe("The artist's name at the time of confirmation."),
    summary: z.string(),
    confirmed_at: instantSchema,
    kept_back_by: z.array(openEnum(RULES)).describe('The rules that exclude the change. Empty if the change matches.'),
  })
  .meta({ id: 'PreviewedChange' });

const countSchema = z.int().nonnegative();

export const rulesPreviewSchema = z
  .object({
    days: z.int().describe('Number of days that the preview covers. It covers at most the newest 10,000 changes.'),
    matching: z.object({
      count: countSchema.describe('Number of changes that match the rules.'),
      newest: z.array(previewedChangeSchema).describe('The 10 newest, newest first.'),
    }),
    others: z.object({
      count: countSchema.describe('Number of changes that the rules exclude.'),
      by_rule: z
        .object({ min_severity: countSchema, change_types: countSchema, artist_ids: countSchema })
        .describe(
          'Number of changes that each rule excludes. A change can count for several rules. `artist_ids` includes `group_ids`.',
        ),
      newest: z.array(previewedChangeSchema).describe('The 10 newest, newest first.'),
    }),
  })
  .meta({ id: 'RulesPreview' });

export interface ShownRulesPreview {
  readonly days: number;
  readonly matching: { readonly count: number; readonly newest: readonly ShownPreviewedChange[] };
  readonly others: {
    readonly count: number;
    readonly byRule: Readonly<Record<(typeof RULES)[number], number>>;
    readonly newest: readonly ShownPreviewedChange[];
  };
}

export type ShownPreviewedChange = Shown<z.infer<typeof previewedChangeSchema>>;

const presentChange = presenter(previewedChangeSchema);

export function presentRulesPreview({ days, matching, others }: ShownRulesPreview): z.infer<typeof rulesPreviewSchema> {
  return {
    days,
    matching: { count: matching.count, newest: matching.newest.map(presentChange) },
    others: { count: others.count, by_rule: { ...others.byRule }, newest: others.newest.map(presentChange) },
  };
}
