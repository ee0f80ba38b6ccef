import { createHash } from 'node:crypto';
import { KEY_SCOPES } from '@artist-watch/domain/account/credentials';
import { artistsUsed, PLAN_NAMES, PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import { z } from 'zod';
import { type ConfirmedChange, changeFields, changeValueItem } from './change.js';
import { feedIdSchema, instantSchema, listOf, openEnum, ownNameSchema, presenter, wholeNumber } from './fields.js';

const usedOfLimitSchema = z.object({ used: z.int().nonnegative(), limit: z.int().nonnegative() });

/** See docs/api/plans.md. */
export const usageSchema = z
  .object({
    plan: openEnum(PLAN_NAMES),
    artists: usedOfLimitSchema.describe('Watched artists.'),
    seats: usedOfLimitSchema.describe('Members of the account.'),
    keys: usedOfLimitSchema.describe('Valid API keys.'),
    destinations: usedOfLimitSchema.describe('Webhook destinations, including paused ones.'),
    chat_destinations: usedOfLimitSchema.describe('Slack and Discord destinations, including paused ones.'),
    tools: usedOfLimitSchema.describe('Tool calls on the current UTC day.'),
    api_rate_per_hour: z
      .int()
      .positive()
      .describe('Maximum number of requests per hour, for all API keys of the account together.'),
    paused_by_plan: z
      .object({ destinations: z.int().nonnegative() })
      .describe('Destinations that the plan no longer includes. They are kept, but nothing is sent to them.'),
  })
  .meta({ id: 'Usage' });

export const usageDaySchema = z
  .object({
    day: z.string().meta({ format: 'date', example: '2026-05-01', description: 'UTC.' }),
    requests: z
      .int()
      .nonnegative()
      .describe('Number of API requests, excluding those rejected with `rate_limited`. Can lag by up to 30 seconds.'),
    tool_calls: z.int().nonnegative(),
    deliveries: z.int().nonnegative().describe('Number of deliveries created on this day, in any state.'),
  })
  .meta({ id: 'UsageDay', description: 'The usage on one UTC day.' });

export type UsageHistoryItem = z.infer<typeof usageDaySchema>;

export const presentUsageDay = presenter(usageDaySchema);

export const usageHistorySchema = listOf('UsageDayList', usageDaySchema, 'Oldest day first. The last day is today.');

/** We store tool calls and deliveries for this many days. */
const MOST_DAYS = 90;

export const daysSchema = wholeNumber(MOST_DAYS, `must be a single whole number from 1 to ${MOST_DAYS}`).meta({
  type: 'integer',
  minimum: 1,
  maximum: MOST_DAYS,
  default: 30,
  description: 'Number of days to return, including today.',
});

type Usage = z.infer<typeof usageSchema>;

export interface AccountUse {
  readonly watches: number;
  readonly withoutArtist: number;
  readonly seats: number;
  readonly keys: number;
  readonly destinations: number;
  readonly chatDestinations: number;
  readonly toolCalls: number;
  readonly pausedDestinations: number;
}

export function presentUsage(plan: PlanName, used: AccountUse): Usage {
  const limits = PLANS[plan];
  return {
    plan,
    artists: { used: artistsUsed(used, limits), limit: limits.artists },
    seats: { used: used.seats, limit: limits.seats },
    keys: { used: used.keys, limit: limits.keys },
    destinations: { used: used.destinations, limit: limits.destinations },
    chat_destinations: { used: used.chatDestinations, limit: limits.chatDestinations },
    tools: { used: used.toolCalls, limit: limits.toolCallsPerDay },
    api_rate_per_hour: limits.apiRequestsPerHour,
    paused_by_plan: { destinations: used.pausedDestinations },
  };
}

/** Does not contain the key itself, which is returned only at creation. */
export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    hint: z.string().describe('The first characters of the key.'),
    scopes: z
      .array(openEnum(KEY_SCOPES))
      .describe('`manage` allows requests that change something, and `read` allows all other requests.'),
    created_at: instantSchema,
    created_by: z.string().nullable().describe('The email address of a member, or `operator`. Null if unknown.'),
    last_used_at: instantSchema
      .nullable()
      .describe('Time of the last request. Can lag by up to 30 seconds. Null before the first request.'),
    expires_at: instantSchema.nullable().describe('From this time on, the key is rejected. Null if it never expires.'),
    revoked_at: instantSchema.nullable().describe('Null unless the key was revoked.'),
  })
  .meta({ id: 'ApiKey', description: 'An API key of the account.' });

export const apiKeyListSchema = listOf('ApiKeyList', apiKeySchema, 'Newest first.');

export type ApiKeyItem = z.infer<typeof apiKeySchema>;

export const presentApiKey = presenter(apiKeySchema);

export const memberSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    role: openEnum(['owner', 'member'], 'An owner can also manage members, keys and secrets.'),
    created_at: instantSchema,
    joined_at: instantSchema.nullable().describe('Time of the first sign-in. Null until then.'),
  })
  .meta({ id: 'Member', description: 'A person with access to the account.' });

export const memberListSchema = listOf('MemberList', memberSchema, 'Oldest first.');

export const presentMember = presenter(memberSchema);

/** Relative to {base_url}. */
export const FEED_PATH = '/changes/feed.atom';

export const createFeedSchema = z.strictObject({ name: ownNameSchema.optional() }).meta({ id: 'CreateFeed' });

const feedFields = z.object({
  id: feedIdSchema,
  name: z.string().nullable(),
  hint: z.string().describe('The first characters of the token.'),
  created_at: instantSchema,
  created_by: z.string().describe('The email address of a member, the id of an API key, or `operator`.'),
  last_used_at: instantSchema
    .nullable()
    .describe('Time of the last request. Can lag by up to 30 seconds. Null before the first request.'),
});

const feedSchema = feedFields.meta({ id: 'Feed', description: 'A token for the private Atom feed.' });

export const createdFeedSchema = feedFields
  .extend({
    token: z.string().describe('The token, shown only in this response.'),
    path: z.string().describe("The feed's path on the host of {base_url}. You can add change filters to it."),
    url: z.string().nullable().describe('The URL of the feed. Null if the operator has not configured the base URL.'),
  })
  .meta({ id: 'CreatedFeed', description: 'A feed with its token.' });

export const feedListSchema = listOf('FeedList', feedSchema, 'All feeds, newest first.');

export type FeedItem = z.infer<typeof feedSchema>;

export const presentFeed = presenter(feedSchema);

/** The private Atom feed of changes (RFC 4287, docs/api/requests.md). */

export const ATOM_TYPE = 'application/atom+xml; charset=utf-8';

export const FEED_CHANGES = 100;

interface AtomFeed {
  /** The account and the filter, from which the feed's id is derived. */
  readonly identity: string;
  /** Newest first. */
  readonly changes: readonly ConfirmedChange[];
  /** Default: the entity's page on the platform. */
  readonly pageOf?: (changeId: string) => string;
  /** May be relative. */
  readonly next?: string | undefined;
}

/**
 * Omits the link to the feed itself, because its URL contains the token. The link to the next page (RFC 5005) contains
 * the token too, but readers need that link.
 */
export function atomFeed({ identity, changes, pageOf, next }: AtomFeed): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xmlns:aw="urn:artist-watch">\n',
    `<id>${idOf(`feed ${identity}`)}</id>\n<title>Artist Watch: confirmed changes</title>\n`,
    // The time must be constant, so that an empty feed always has the same ETag.
    `<updated>${(changes[0]?.confirmedAt ?? new Date(0)).toISOString()}</updated>\n`,
    next === undefined ? '' : `<link rel="next" href="${escaped(next)}"/>\n`,
    '<author><name>Artist Watch</name></author>\n<generator>Artist Watch</generator>\n',
    ...changes.map((change) => entry(change, pageOf?.(change.id))),
    '</feed>\n',
  ].join('');
}

function entry(change: ConfirmedChange, page: string | undefined): string {
  const { id, type, severity, summary, confirmed_at, artist_name, entity_name, platform_url } = changeFields(change);
  const link = page ?? platform_url;
  const text = [
    summary,
    `Artist: ${artist_name}`,
    `Subject: ${entity_name}`,
    `Severity: ${severity}`,
    ...values(change),
  ];
  return [
    `<entry>\n<id>${idOf(id)}</id>\n<title type="text">${escaped(summary)}</title>\n`,
    `<published>${confirmed_at}</published>\n<updated>${confirmed_at}</updated>\n`,
    link === null ? '' : `<link rel="alternate" href="${escaped(link)}"/>\n`,
    `<aw:change_id>${id}</aw:change_id>\n`,
    `<category term="${escaped(type)}"/>\n<category term="${severity}"/>\n`,
    `<content type="text">${escaped(text.join('\n'))}</content>\n</entry>\n`,
  ].join('');
}

function values({ before, after }: ConfirmedChange): string[] {
  return Object.entries({ Before: before, After: after }).flatMap(([name, value]) => {
    const shown = changeValueItem(value);
    return shown === null || typeof shown === 'object' ? [] : [`${name}: ${shown}`];
  });
}

/** Derives a UUID from a name (RFC 9562, version 8). The id is the same for every token and host. */
function idOf(name: string): string {
  const digest = createHash('sha256').update(`artist-watch ${name}`).digest('hex');
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  return `urn:uuid:${a}-${b}-8${c}-8${d}-${e}`;
}

/** XML 1.0 does not allow these characters. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(NOT_XML, '\uFFFD').replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] as string);
}
