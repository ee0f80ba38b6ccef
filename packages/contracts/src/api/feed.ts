import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type ConfirmedChange, changeFields, changeValueItem } from './change.js';
import { feedIdSchema, instantSchema, listOf, ownNameSchema, presenter } from './fields.js';

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

export const feedSchema = feedFields.meta({ id: 'Feed', description: 'A token for the private Atom feed.' });

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

export interface AtomFeed {
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
