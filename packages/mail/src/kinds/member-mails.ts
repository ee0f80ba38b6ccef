import type { EffectiveAction } from '@artist-watch/domain/account/actor';
import type { MailList, UnsubscribeProofs } from '@artist-watch/domain/account/mail-preferences';
import { type ListedChange, type ListedEvent, listEvents } from '@artist-watch/domain/change/change-events';
import { CHANGE_STATUSES, ENTITY_TYPES, SEVERITIES, severityRank } from '@artist-watch/domain/change/change-types';
import { changeHeadline } from '@artist-watch/domain/change/summary';
import type { MemberId } from '@artist-watch/domain/ids';
import { minuteText } from '@artist-watch/domain/zoned-time';
import { z } from 'zod';
import {
  count,
  type Letter,
  type LetterContext,
  type LetterPart,
  type MailKind,
  mailKind,
  number,
  shown,
} from '../letter.js';
import { changeDetails, fullChangeSchema, knownChange, letterAbout } from './change-letter.js';

const idOf = <Id extends string>() => z.string().transform((id) => id as Id);
const addressee = { account: z.string(), member: idOf<MemberId>() };

const text = z.string();
const listedChangeSchema = z
  .object({
    id: text,
    severity: z.enum(SEVERITIES).default('critical'),
    summary: text,
    artist: text.default('Changes'),
    status: z.enum(CHANGE_STATUSES).default('open'),
    assignee: text.nullable().default(null),
    // Rows written by the previous version don't have these fields. Their changes are not grouped, and the summary is
    // used as the name.
    type: text.default(''),
    entityType: z.enum(ENTITY_TYPES).default('track'),
    artistId: text.optional(),
    entityId: text.optional(),
    entityName: text.optional(),
    confirmedAt: z.coerce.date().default(new Date(0)),
    releaseId: text.nullable().optional(),
    releaseName: text.nullable().default(null),
    // Only alerts have these fields.
    detectedAt: z.coerce.date().default(new Date(0)),
    checks: z.number().default(0),
    difference: z.unknown().optional(),
  })
  .transform(({ artist, ...change }): MailedChange => {
    const { id, summary, artistId = artist, entityId = id, entityName = summary, releaseId = id } = change;
    const type = change.entityName === undefined ? '' : change.type;
    const names = { type, artistName: artist, artistId, entityId, entityName, releaseId };
    return { ...change, ...names, before: null, after: null };
  });

interface MailedChange extends ListedChange {
  readonly summary: string;
  readonly detectedAt: Date;
  readonly checks: number;
  readonly difference?: unknown;
}

/** Contains at most 100 changes. Rows written by the previous version contain all changes and no total. */
const changesOfArtist = {
  artist: text,
  count: z.number().optional(),
  changes: z.array(listedChangeSchema),
};

const MAX_SHOWN = 100;

const LIST_NAMES: Readonly<Record<MailList, string>> = {
  critical: 'alerts about changes',
  destinations: 'alerts about failing channels',
  digest: 'the digest',
};

/** Emails to owners about actions that have effects outside the account. Each sentence begins with the actor. */
const ACTIONS: Readonly<Record<Exclude<EffectiveAction, 'api_key.created'>, ActionText>> = {
  'change.shared': {
    title: 'Share link created',
    sentence: (subject) =>
      `created a share link for this change: ${subject} Anyone with the link can open this change for 7 days.`,
    page: 'changes',
  },
  'destination.changed': {
    title: 'Channel changed',
    sentence: (subject, changed) =>
      `set ${newSettings(changed)} for the channel “${subject}”. Changes are sent with the new settings from now on.`,
    page: 'destinations',
  },
  'destination.created': {
    title: 'Channel created',
    sentence: (subject) => `created the channel “${subject}”. Changes are sent there from now on.`,
    page: 'destinations',
  },
  'destination.secret_rotated': {
    title: 'Signing secret created',
    sentence: (subject) => `created a new signing secret for the channel “${subject}”. It was shown only once.`,
    page: 'destinations',
  },
  'feed.created': {
    title: 'Feed created',
    sentence: (subject) => `created the feed “${subject}”. Anyone with its link can read your changes.`,
    page: 'feeds',
  },
  'member.invited': {
    title: 'Member invited',
    sentence: (subject) => `invited ${subject} to the account.`,
    page: 'members',
  },
  'member.role_changed': {
    title: 'New owner',
    sentence: (subject) => `made ${subject} an owner of the account.`,
    page: 'members',
  },
};

interface ActionText {
  readonly title: string;
  /** @param changed names of the changed settings, such as `address, headers` */
  readonly sentence: (subject: string, changed: string) => string;
  /** The page where the action can be undone. */
  readonly page: string;
}

function newSettings(changed: string): string {
  const settings = [changed.includes('address') && 'a new URL', changed.includes('headers') && 'new request headers'];
  return settings.filter(Boolean).join(' and ') || 'a new URL or new request headers';
}

const PAGE_NAMES: Readonly<Record<string, string>> = { destinations: 'channels' };

const ACTORS = { member: '', api_key: 'The API key ', operator: 'Our support, ', service: '' } as const;

type MemberMail =
  | 'account_action'
  | 'critical_changes'
  | 'critical_summary'
  | 'destination_failing'
  | 'digest'
  | 'key_expires'
  | 'new_key';

/** packages/persistence queues these emails in queue-mails.ts and queue-digests.ts. */
export function memberMails(proofs: UnsubscribeProofs, switchOffAfter: number): Record<MemberMail, MailKind> {
  const listed = <Data extends { readonly account: string; readonly member: MemberId }>(
    list: MailList,
    schema: z.ZodType<Data>,
    write: (data: Data, context: LetterContext) => Letter,
  ) =>
    mailKind(schema, (data, context) => {
      const letter = write(data, context);
      const unsubscribeUrl = context.link(proofs.pathOf(data.member, list));
      const why = {
        kind: 'small',
        text: `You're receiving this because you're a member of ${context.accountName} on Artist Watch.`,
        links: [
          { label: 'Email settings', url: context.link(`/a/${data.account}/settings`) },
          { label: `Unsubscribe from ${LIST_NAMES[list]}`, url: unsubscribeUrl },
        ],
      } as const;
      return { ...letter, unsubscribeUrl, parts: [...letter.parts, why] };
    });
  return {
    critical_changes: listed(
      'critical',
      // Rows written by the previous version don't have `first`.
      z.object({ ...addressee, ...changesOfArtist, first: fullChangeSchema.optional() }),
      ({ artist, changes, count: all = changes.length, account, first }, context) => {
        const headline = shown(first ? changeHeadline(knownChange(first)) : `Changes: ${artist}`);
        return {
          subject: all === 1 ? headline : `${headline}, and ${count(all - 1, 'more change')}`,
          parts:
            all === 1 && first
              ? changeDetails(first, account, context)
              : [
                  { kind: 'title', text: `${count(all, 'change')} to ${shown(artist)}` },
                  ...changeParts([{ artist: '', changes }], all, account, context, first?.artistId),
                  ...(first ? letterAbout(first, changes, context) : []),
                ],
        };
      },
    ),

    critical_summary: listed(
      'critical',
      z.object({ ...addressee, artists: z.array(z.object(changesOfArtist)) }),
      ({ artists, account }, context) => {
        const all = artists.reduce((sum, entry) => sum + (entry.count ?? entry.changes.length), 0);
        const names = [...new Set(artists.map(({ artist }) => artist))];
        const title = `${count(all, 'more change')} to ${count(names.length, 'artist')}`;
        return {
          subject: title,
          parts: [
            { kind: 'title', text: title },
            {
              kind: 'text',
              text: "We already sent you several emails within an hour. This email lists the hour's other changes.",
            },
            ...changeParts(artists, all, account, context),
          ],
        };
      },
    ),

    destination_failing: listed(
      'destinations',
      z.object({
        ...addressee,
        destination: z.string(),
        name: z.string(),
        isOff: z.boolean(),
        failures: z.number(),
        waiting: z.number().nullable(),
        /** The HTTP status of the last response. Null if there was none. */
        lastStatus: z.number().nullish(),
        /** The notification in the thread's first email. Not set in rows written by the previous version. */
        first: z.string().optional(),
        isFirst: z.boolean().default(true),
      }),
      ({ account, member, destination, name, isOff, failures, waiting, lastStatus, first, isFirst }, { link }) => {
        const label = shown(name);
        const cause = lastStatus ? ` The last response was ${lastStatus}.` : '';
        const text = isOff
          ? `It failed ${failures} times in a row, so we switched it off.${cause} ${missedSentence(waiting ?? 0)}`
          : `It has failed ${failures} times in a row.${cause} After ${switchOffAfter} failures, we switch it off. One delivered change resets the count.`;
        const steps = isOff
          ? ['Have your developers fix the cause.', 'Send a test.', 'Enable the channel.', 'Send the missed changes.']
          : [];
        // A different subject starts a new thread, so that email clients show the switch-off separately.
        const subject = `Channel ${isOff ? 'switched off' : 'failing'}: ${label}`;
        return {
          subject,
          ...(first && { thread: { first: `${first}.${member}`, isFirst } }),
          parts: [
            { kind: 'title', text: subject },
            { kind: 'text', text },
            ...(steps.length > 0 ? [{ kind: 'list' as const, items: steps.map((step) => ({ text: step })) }] : []),
            { kind: 'action', label: 'View channel', url: link(`/a/${account}/destinations/${destination}`) },
          ],
        };
      },
    ),

    digest: listed(
      'digest',
      z.object({
        ...addressee,
        cadence: z.enum(['daily', 'weekly']),
        since: z.coerce.date(),
        until: z.coerce.date(),
        artists: z.number(),
        readings: z.number(),
        missingCount: z.number(),
        missing: z.array(z.string()),
        changeCount: z.number(),
        /** Rows written by the previous version count all changes as open and don't list any artists. */
        criticalCount: z.number(),
        openCount: z.number().optional(),
        openCriticalCount: z.number().optional(),
        changes: z.array(listedChangeSchema),
      }),
      (digest, context) => {
        const { account } = digest;
        const { events, more, changeCount, openCount, openCriticalCount } = countEvents(digest);
        const title = `${digest.cadence === 'daily' ? 'Daily' : 'Weekly'} digest for ${context.accountName}`;
        const isUnchecked = digest.readings === 0 && changeCount === 0;
        const counts = isUnchecked ? 'No checks' : openSentence(changeCount, openCount, openCriticalCount);
        return {
          subject: `${title}: ${counts.charAt(0).toLowerCase()}${counts.slice(1)}`,
          parts: [
            { kind: 'title', text: title },
            {
              kind: 'text',
              text: `${minuteText(digest.since, context.zone)} to ${minuteText(digest.until, context.zone)}`,
            },
            { kind: 'text', text: `${counts}.` },
            ...(openCount === 0
              ? []
              : [
                  {
                    kind: 'action' as const,
                    label: 'View open changes',
                    url: context.link(`/a/${account}/changes?status=open`),
                  },
                ]),
            ...byArtist(events, account, context),
            ...moreParts(more, context.link(`/a/${account}/changes`)),
            {
              kind: 'text',
              text: checksSentence(digest),
            },
          ],
        };
      },
    ),

    account_action: mailKind(
      z.object({
        account: z.string(),
        action: z.enum(Object.keys(ACTIONS) as [keyof typeof ACTIONS, ...Array<keyof typeof ACTIONS>]),
        subject: z.string(),
        at: z.coerce.date(),
        actorKind: z.enum(['member', 'api_key', 'operator', 'service']),
        actor: z.string(),
        isLast: z.boolean(),
        // Rows written by the previous version don't have this field.
        changed: z.string().nullish(),
      }),
      ({ account, action, subject, at, actorKind, actor, isLast, changed }, context) => {
        const { title, sentence, page } = ACTIONS[action];
        const who = `${ACTORS[actorKind]}${shown(actor)}${actorKind === 'operator' ? ',' : ''}`;
        const what = action === 'change.shared' ? subject.replace(/\.?$/, '.') : subject;
        const more = isLast
          ? ' There were many such actions within an hour, so we send no more emails about them for a while.'
          : '';
        return {
          subject: `${title}: ${shown(subject).replace(/\.$/, '')}`,
          parts: [
            {
              kind: 'text',
              text: `${who} ${sentence(shown(what), changed ?? '')}${more}`,
            },
            {
              kind: 'facts',
              items: [
                ['Account', context.accountName],
                ['Time', minuteText(at, context.zone)],
              ],
            },
            { kind: 'action', label: 'View audit log', url: context.link(`/a/${account}/audit`) },
            {
              kind: 'small',
              text: "If you didn't expect this, undo it and sign out all browsers:",
              links: [
                { label: `View ${PAGE_NAMES[page] ?? page}`, url: context.link(`/a/${account}/${page}`) },
                { label: 'Sign out all browsers', url: context.link(`/a/${account}/settings#sessions`) },
              ],
            },
          ],
        };
      },
    ),

    key_expires: mailKind(
      z.object({ account: z.string(), hint: z.string(), name: z.string().nullable(), at: z.coerce.date() }),
      ({ account, hint, name, at }, context) => ({
        subject: 'API key expires in a week',
        parts: [
          {
            kind: 'text',
            text: `The API key ${name === null ? '' : `“${shown(name)}” `}that begins with ${shown(hint)} in the account ${context.accountName} expires on ${minuteText(at, context.zone)}. After that, requests with this key are rejected. Before then, create a new key and use it in your programs.`,
          },
          { kind: 'action', label: 'View API keys', url: context.link(`/a/${account}/keys`) },
        ],
      }),
    ),

    new_key: mailKind(
      // Rows written by the previous version don't have `by`, `name` and `scopes`.
      z.object({
        account: z.string(),
        hint: z.string(),
        at: z.coerce.date(),
        by: z.string().nullish(),
        name: z.string().nullish(),
        scopes: z.array(z.string()).nullish(),
      }),
      ({ account, hint, at, by, name, scopes }, context) => ({
        subject: 'New API key',
        parts: [
          {
            kind: 'text',
            text: `${by ? shown(by) : 'Someone'} created the API key ${name ? `“${shown(name)}” ` : ''}in the account ${context.accountName} on ${minuteText(at, context.zone)}. It begins with ${shown(hint)}. ${keySentence(scopes)}`,
          },
          { kind: 'action', label: 'View API keys', url: context.link(`/a/${account}/keys`) },
          {
            kind: 'small',
            text: 'If no one on your team created it, revoke it, and sign out all browsers in the settings.',
          },
        ],
      }),
    ),
  };
}

function keySentence(scopes: readonly string[] | null | undefined): string {
  return scopes?.includes('manage') === false
    ? 'Anyone with the key can read this account, but not change it.'
    : 'Anyone with the key can read and change this account.';
}

function changeParts(
  artists: ReadonlyArray<{ readonly artist: string; readonly changes: readonly MailedChange[] }>,
  all: number,
  account: string,
  context: LetterContext,
  artistId?: string,
): LetterPart[] {
  let left = MAX_SHOWN;
  const rank = ({ changes }: { readonly changes: readonly MailedChange[] }) =>
    Math.min(...changes.map(({ severity }) => severityRank(severity)));
  const worstFirst = artists.toSorted((one, other) => rank(one) - rank(other));
  const shownArtists = worstFirst.flatMap(({ artist, changes }): LetterPart[] => {
    const some = changes.slice(0, left);
    left -= some.length;
    return some.length === 0 ? [] : [eventsPart(artist, bySeverity(some), account, context)];
  });
  const url = context.link(`/a/${account}/changes${artistId === undefined ? '' : `?artist=${artistId}`}`);
  return [...shownArtists, { kind: 'action', label: 'View changes', url }, ...moreParts(all - (MAX_SHOWN - left), url)];
}

interface DigestCounts {
  readonly changes: readonly ListedChange[];
  readonly changeCount: number;
  readonly criticalCount: number;
  readonly openCount?: number | undefined;
  readonly openCriticalCount?: number | undefined;
}

/**
 * Counts events in the same way as the dashboard's lists. Changes that are not in the email are counted individually.
 */
function countEvents({ changes, changeCount, criticalCount, ...open }: DigestCounts) {
  const { openCount = changeCount, openCriticalCount = criticalCount } = open;
  const events = bySeverity(changes);
  const isOpen = ({ status }: ListedChange) => status === 'open';
  const isCritical = ({ severity }: Pick<ListedChange, 'severity'>) => severity === 'critical';
  const openChanges = changes.filter(isOpen);
  const openEvents = events.filter(({ state }) => isOpen(state));
  const more = changeCount - changes.length;
  return {
    events,
    more,
    changeCount: events.length + more,
    openCount: openEvents.length + openCount - openChanges.length,
    openCriticalCount: openEvents.filter(isCritical).length + openCriticalCount - openChanges.filter(isCritical).length,
  };
}

/** Groups changes into events, highest severity first. */
function bySeverity<Change extends ListedChange>(changes: readonly Change[]): ListedEvent<Change>[] {
  const newestFirst = changes.toSorted((one, other) => other.confirmedAt.getTime() - one.confirmedAt.getTime());
  return listEvents(newestFirst).sort((one, other) => severityRank(one.severity) - severityRank(other.severity));
}

const MAX_DETAILS = 5;

/** In alerts, field changes show their old and new values. */
function eventsPart(
  artist: string,
  events: readonly ListedEvent<MailedChange>[],
  account: string,
  { link }: LetterContext,
): LetterPart {
  return {
    kind: 'artist',
    name: shown(artist),
    events: events.map(({ name, fact, severity, changes }) => {
      const fields = changes.filter(
        ({ type, entityName, summary }) => type.endsWith('_changed') && entityName !== summary,
      );
      return {
        name: shown(name),
        fact,
        severity,
        url: link(`/a/${account}/changes/${changes[0].id}`),
        details: fields.slice(0, MAX_DETAILS).map(({ summary }) => shown(summary)),
      };
    }),
  };
}

/** Groups events by artist, in the order of each artist's first event. */
function byArtist(events: readonly ListedEvent[], account: string, { link }: LetterContext): LetterPart[] {
  const artists = new Map<string, ListedEvent[]>();
  for (const event of events) {
    const { artistId } = event.newest;
    artists.set(artistId, [...(artists.get(artistId) ?? []), event]);
  }
  return [...artists.values()].map((ofArtist) => ({
    kind: 'artist',
    name: shown(ofArtist[0]?.newest.artistName ?? ''),
    events: ofArtist.map(({ name, fact, severity, state, changes: [first] }) => ({
      name: shown(name),
      fact,
      severity,
      url: link(`/a/${account}/changes/${first.id}`),
      status: state.assignee === null ? state.status : `${state.status}, ${state.assignee}`,
    })),
  }));
}

function moreParts(left: number, url: string): LetterPart[] {
  return left <= 0 ? [] : [{ kind: 'list', items: [{ text: `And ${number(left)} more in the dashboard`, url }] }];
}

function missedSentence(missed: number): string {
  return missed === 0
    ? 'We keep new changes for you.'
    : `We kept ${count(missed, 'change')} for you, and will keep new ones too.`;
}

function openSentence(all: number, open: number, critical: number): string {
  if (all === 0) return 'Nothing changed';
  if (open === 0) return `${count(all, 'change')}, none open`;
  const some = open === all ? count(all, 'change') : `${number(open)} of ${count(all, 'change')}`;
  const isOne = open === 1;
  const suffix =
    critical < open ? `${number(critical)} of them critical` : isOne ? 'and it is critical' : 'all critical';
  return `${some} ${isOne ? 'is' : 'are'} open${critical === 0 ? '' : `, ${suffix}`}`;
}

interface DigestChecks {
  readonly artists: number;
  readonly readings: number;
  readonly missingCount: number;
  readonly missing: readonly string[];
}

function checksSentence({ artists, readings, missingCount, missing }: DigestChecks): string {
  if (readings === 0) return "We checked no artists in this period, so we can't say whether anything changed.";
  const checks = `${count(readings, 'check')} in all`;
  if (missingCount === 0)
    return `${count(artists, 'artist')} ${artists === 1 ? 'was' : 'were'} fully checked, ${checks}.`;
  // Put the names last, because a right-to-left name would reverse the digits after it.
  const names = missing.map((name) => `“${shown(name)}”`).join(', ');
  const some = missingCount === missing.length ? names : `${names} and ${number(missingCount - missing.length)} more`;
  return `${number(artists - missingCount)} of ${count(artists, 'artist')} were fully checked, ${checks}. Not fully checked: ${some}.`;
}
