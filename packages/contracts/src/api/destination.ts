import { SEVERITIES } from '@artist-watch/domain/change/change-types';
import { DESTINATION_KINDS } from '@artist-watch/domain/channel/destination-kind';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import { currentWarnings } from '@artist-watch/domain/delivery/retry-schedule';
import { z } from 'zod';
import { destinationIdSchema, instantSchema } from './identifiers.js';
import { presenter, type Shown } from './shown.js';

const ofNotice = {
  at: instantSchema,
  consecutive_failures: z.int().nonnegative().describe('In a row, at that instant.'),
  message: z.string(),
};

/** A notice to the account about a destination: the run of failures grew long, or switched it off. */
const warningSchema = z
  .object({
    kind: z.enum(['warning', 'switched_off']),
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
    kind: z.enum(NOTICE_KINDS),
    ...ofNotice,
  })
  .meta({ id: 'DestinationNotice', description: 'What happened to a destination. Kinds may be added.' });

/** Which changes a destination lets through: AND between the three, OR within one; null or empty lets all through. */
const rulesSchema = z
  .object({
    min_severity: z.enum(SEVERITIES).nullable().describe('The lowest severity that passes; null for every one.'),
    change_types: z.array(z.string()).describe('Empty for every type.'),
    artist_ids: z.array(z.string()).describe('Empty for every watched artist.'),
  })
  .meta({
    id: 'DestinationRules',
    description: 'Which changes the destination lets through: all three must pass, by any entry of a list.',
  });

const statsSchema = z
  .object({
    deliveries: z.int().nonnegative().describe('All of them, the newest 10,000 at most.'),
    pending: z.int().nonnegative(),
    succeeded: z.int().nonnegative(),
    failed: z.int().nonnegative(),
    skipped: z.int().nonnegative(),
  })
  .meta({ id: 'DestinationStats', description: 'Deliveries of changes, tests left out, by their state now.' });

const destinationFields = z.object({
  id: destinationIdSchema,
  name: z.string().nullable().describe('Given by its owner; null for none.'),
  kind: z.enum(DESTINATION_KINDS),
  url: z.string().describe('Of a Slack or Discord destination without its secret part.'),
  state: z.enum(['active', 'off']).describe('Nothing but tests is sent while it is off.'),
  paused_by_plan: z
    .boolean()
    .describe("True while the account's plan has no destinations of this kind: nothing is sent, whatever the state."),
  signed: z.boolean().describe('Are its webhooks signed?'),
  next_secret_pending: z
    .boolean()
    .describe('True from rotate-secret to activate-secret: the next secret is not active yet.'),
  rules: rulesSchema,
  consecutive_failures: z.int().nonnegative().describe('Failed attempts in a row; the 20th switches it off.'),
  created_at: instantSchema,
  switched_off_at: instantSchema.nullable(),
  switched_off_reason: z.string().nullable(),
  stats_24h: statsSchema.describe('Of the last 24 hours.'),
  warnings: z
    .array(warningSchema)
    .describe('Of the present run of failures, newest first; empty after a success or enable.'),
  notices: z
    .array(noticeSchema)
    .describe('What happened to it, newest first: the newest 20 about failures, and the newest 20 others.'),
});

/** A webhook address of the account, or a channel of a chat platform (docs/reference/api.md). */
export const destinationSchema = destinationFields.meta({
  id: 'Destination',
  description: 'An address of the account that changes are posted to.',
});

export const createdDestinationSchema = destinationFields
  .extend({ secret: z.string().nullable().describe('Shown in this one answer only; null for unsigned.') })
  .meta({ id: 'CreatedDestination' });

export const rotatedDestinationSchema = destinationFields
  .extend({ next_secret: z.string().describe('Shown only in this response. Active after activate-secret.') })
  .meta({ id: 'RotatedDestination' });

/** There are never more than the plan allows, so all of them. */
export const destinationListSchema = z
  .object({ data: z.array(destinationSchema).describe('All of them, newest first.'), next_cursor: z.null() })
  .meta({ id: 'DestinationList' });

export type DestinationItem = z.infer<typeof destinationSchema>;

/** What is shown of a destination that was read from the record. */
export type ShownDestination = Omit<Shown<DestinationItem>, 'rules' | 'warnings' | 'notices'> & {
  readonly rules: DestinationRules;
  /** Newest first. */
  readonly notices: readonly ShownNotice[];
};

/** The reason is the message of the answer. */
export type ShownNotice = Omit<Shown<z.infer<typeof noticeSchema>>, 'message'> & { readonly reason: string };

const present = presenter(destinationSchema);
const presentRules = presenter(rulesSchema);
const presentNotice = presenter(noticeSchema);
const presentWarning = presenter(warningSchema);

export function presentDestination({ rules, notices, ...destination }: ShownDestination): DestinationItem {
  const warnings = currentWarnings(notices, destination.consecutiveFailures);
  return present({
    ...destination,
    rules: presentRules(rules),
    warnings: warnings.map(({ reason: message, ...warning }) => presentWarning({ ...warning, message })),
    notices: notices.map(({ reason: message, ...notice }) => presentNotice({ ...notice, message })),
  });
}
