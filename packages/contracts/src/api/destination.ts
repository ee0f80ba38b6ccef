import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import { DESTINATION_KINDS } from '@artist-watch/domain/channel/destination-kind';
import { HIDDEN_HEADER_VALUE } from '@artist-watch/domain/delivery/custom-headers';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import { currentWarnings } from '@artist-watch/domain/delivery/retry-schedule';
import { z } from 'zod';
import { ruleWarningSchema, ruleWarnings } from './destination-input.js';
import { OR_NULL, openEnum } from './enums.js';
import { destinationIdSchema, instantSchema } from './identifiers.js';
import { presenter, type Shown } from './shown.js';

const ofNotice = {
  at: instantSchema,
  consecutive_failures: z.int().nonnegative().describe('Failed attempts in a row at that time.'),
  message: z.string(),
  last_status: z.int().nullable().describe('The status of the last failed attempt. Null without a response.'),
  last_error: z
    .string()
    .nullable()
    .describe('The `error` of the last failed attempt. Null if the event is no failure.'),
};

/** A warning about a run of failures, or the notice that they switched the destination off. */
const warningSchema = z
  .object({
    kind: openEnum(['warning', 'switched_off']),
    code: z.string().describe('The same as `kind`.'),
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
    code: z.string().describe('The same as `kind`.'),
    ...ofNotice,
  })
  .meta({ id: 'DestinationNotice', description: 'An event of a destination.' });

/** A change must match all three rules, and any one entry within a rule. Null or an empty list allows everything. */
const rulesSchema = z
  .object({
    min_severity: openEnum(SEVERITIES, 'The lowest severity that is sent. Null for all.').nullable().meta(OR_NULL),
    change_types: z.array(z.string()).describe('Empty for all types.'),
    artist_ids: z.array(z.string()).describe('Empty for all watched artists.'),
  })
  .meta({
    id: 'DestinationRules',
    description:
      'The changes that a destination receives. A change must match all three rules, with any entry of a list.',
  });

/** The value of `switched_off_reason`. */
const switchOffSchema = z
  .object({
    code: openEnum(['switched_off', 'disabled'], '`switched_off` after too many failures, `disabled` by request.'),
    at: instantSchema,
    consecutive_failures: ofNotice.consecutive_failures,
    last_status: ofNotice.last_status,
    last_error: ofNotice.last_error,
  })
  .meta({ id: 'SwitchOff' });

const statsSchema = z
  .object({
    deliveries: z.int().nonnegative().describe('All deliveries, at most the newest 10,000.'),
    pending: z.int().nonnegative(),
    succeeded: z.int().nonnegative(),
    failed: z.int().nonnegative(),
    skipped: z.int().nonnegative(),
  })
  .meta({ id: 'DestinationStats', description: 'Deliveries of changes by their current state, without tests.' });

const destinationFields = z.object({
  id: destinationIdSchema,
  name: z.string().nullable().describe('Chosen by the account. Null for none.'),
  kind: openEnum(DESTINATION_KINDS),
  url: z.string().describe('For Slack and Discord without the secret part.'),
  state: openEnum(['active', 'off'], 'While off, only tests are sent.'),
  paused_by_plan: z
    .boolean()
    .describe(
      'True while the plan does not include destinations of this kind. Nothing is sent then, whatever the state.',
    ),
  signed: z.boolean().describe('True if its webhooks are signed.'),
  next_secret_pending: z
    .boolean()
    .describe('True from rotate-secret to activate-secret: the next secret is not active yet.'),
  headers: z
    .array(z.object({ name: z.string(), value: z.string().describe(`Always \`${HIDDEN_HEADER_VALUE}\`.`) }))
    .describe('Headers that you add to each request. Values are never shown. Always empty for Slack and Discord.'),
  standard_webhooks: z
    .boolean()
    .describe('True if webhooks also carry the headers of Standard Webhooks. Always false for Slack and Discord.'),
  rules: rulesSchema,
  rule_warnings: z.array(ruleWarningSchema).describe('Rules that are probably mistakes. Usually empty.'),
  consecutive_failures: z
    .int()
    .nonnegative()
    .describe('Failed attempts in a row. The 20th switches the destination off.'),
  created_at: instantSchema,
  switched_off_at: instantSchema.nullable(),
  switched_off_reason: z.string().nullable().describe('A sentence for people. `switched_off` has the data.'),
  switched_off: switchOffSchema.nullable().describe('Null while active.'),
  stats_24h: statsSchema.describe('The last 24 hours.'),
  warnings: z
    .array(warningSchema)
    .describe('Warnings of the current run of failures, newest first. Empty after a success or `enable`.'),
  notices: z
    .array(noticeSchema)
    .describe('Events, newest first: the newest 20 about failures, and the newest 20 others.'),
});

/** A webhook, or a Slack or Discord channel (docs/reference/api.md). */
export const destinationSchema = destinationFields.meta({
  id: 'Destination',
  description: 'A webhook, or a Slack or Discord channel, that receives changes.',
});

export const createdDestinationSchema = destinationFields
  .extend({ secret: z.string().nullable().describe('Shown only in this response. Null for unsigned.') })
  .meta({ id: 'CreatedDestination' });

export const rotatedDestinationSchema = destinationFields
  .extend({ next_secret: z.string().describe('Shown only in this response. Active after activate-secret.') })
  .meta({ id: 'RotatedDestination' });

/** All destinations on one page, because the plan limits their number. */
export const destinationListSchema = z
  .object({ data: z.array(destinationSchema).describe('Newest first.'), next_cursor: z.null() })
  .meta({ id: 'DestinationList' });

export type DestinationItem = z.infer<typeof destinationSchema>;

/** A destination as read from the database. */
export type ShownDestination = Omit<
  Shown<DestinationItem>,
  'rules' | 'ruleWarnings' | 'switchedOff' | 'warnings' | 'notices'
> & {
  readonly rules: DestinationRules;
  /** Newest first. */
  readonly notices: readonly ShownNotice[];
};

/** A notice as read from the database. `reason` becomes `message`. */
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
