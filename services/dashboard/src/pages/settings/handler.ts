import { rulesFrom, rulesInputSchema } from '@artist-watch/contracts/api/destination-input';
import {
  DIGEST_CADENCES,
  MAIL_LISTS,
  type MailList,
  type MailPreferences,
} from '@artist-watch/domain/account/mail-preferences';
import { ALLOW_ALL } from '@artist-watch/domain/delivery/destination-rules';
import type { MemberId, SessionId } from '@artist-watch/domain/ids';
import { memberStore } from '@artist-watch/persistence/account/members';
import { mailPreferenceStore } from '@artist-watch/persistence/mail/outbox';
import { sessionStore } from '@artist-watch/persistence/sign-in/sessions';
import { knownZone, ZONES } from '../../application/fields.js';
import {
  type Guest,
  type GuestPage,
  get,
  type Page,
  page,
  post,
  type Reply,
  redirect,
  type Visit,
} from '../../application/page.js';
import { rulesInput, typedRules } from '../../views/rules-fields.js';
import { MessagePage } from '../../views/states.js';
import type { PageParts } from '../parts.js';
import { readSettings } from './query.js';
import { MAIL_LIST_NAMES, settingsView, unsubscribeView } from './view.js';

type SettingsProblem = Readonly<Partial<Record<'rulesError' | 'digestError' | 'zoneError', string>>>;

export function settingsPages({ reads, writes }: PageParts): Page[] {
  const show = async (visit: Visit, problem: SettingsProblem = {}): Promise<Reply> => {
    const settings = await readSettings(reads, visit);
    const isOwner = visit.member.role === 'owner';
    const zones = ZONES.includes(visit.zone) ? ZONES : [visit.zone, ...ZONES];
    const status = Object.keys(problem).length === 0 ? 200 : 400;
    return page('Settings', settingsView({ ...visit, ...settings, isOwner, zones, ...problem }), status);
  };
  const saveMails = async (visit: Visit): Promise<Reply> => {
    const wanted = wantedMails(visit);
    if (!wanted) return show(visit, { digestError: 'Choose how often you want the digest.' });
    const [rules, digestRules] = [wantedRules(visit.form, 'mail_'), wantedRules(visit.form, 'digest_')];
    if (rules?.success === false || digestRules?.success === false) {
      return show(visit, { rulesError: 'Choose a severity and types from the list, and up to 400 artists.' });
    }
    const allowed = { ...(rules && { rules: rules.data }), ...(digestRules && { digestRules: digestRules.data }) };
    await mailPreferenceStore(writes).write(visit.member.id, { ...wanted, ...allowed });
    return redirect('/settings', 'Email settings saved.');
  };
  return [
    get('/settings', 'member', (visit) => show(visit)),
    post('/settings/zone', 'member', async (visit) => {
      const zone = knownZone(visit.form.get('zone'));
      if (zone === undefined) return show(visit, { zoneError: 'Choose a time zone from the list.' });
      await memberStore(writes).setZone(visit.member.id, zone);
      return redirect('/settings', `Times are shown in ${zone}.`);
    }),
    post('/settings/mails', 'member', saveMails, 'emailRules'),
    post('/settings/sessions/end', 'member', async (visit) => {
      const id = (visit.form.get('session') ?? '') as SessionId;
      const ended = await sessionStore(writes).end(id, visit.member.email);
      return redirect('/settings', ended ? 'Browser signed out.' : 'That browser was already signed out.');
    }),
    post('/settings/sessions/end-all', 'member', async ({ member, setCookie }) => {
      await sessionStore(writes).endAll(member.email);
      setCookie('session', undefined);
      return redirect('', 'All browsers signed out.');
    }),
  ];
}

/** Undefined if the digest's frequency is missing or unknown. */
function wantedMails({ form, member }: Visit): Partial<MailPreferences> | undefined {
  const digest = DIGEST_CADENCES.find((each) => each === form.get('digest'));
  const lists = form.getAll('mails');
  if (!digest) return undefined;
  const critical = lists.includes('critical');
  // Only owners can choose to get emails about destinations. If an owner becomes a member, their earlier choice is
  // kept.
  return member.role === 'owner'
    ? { critical, destinations: lists.includes('destinations'), digest }
    : { critical, digest };
}

const rulesSchema = rulesInputSchema.transform((input) => ({ ...ALLOW_ALL, ...rulesFrom(input) }));

/** Returns undefined if the form has no fields for rules, in which case the stored rules stay as they are. */
function wantedRules(form: URLSearchParams, prefix: string) {
  return form.has(`${prefix}min_severity`) ? rulesSchema.safeParse(rulesInput(typedRules(form, prefix))) : undefined;
}

const INVALID = {
  title: "This link isn't valid",
  children: 'The link may be incomplete. You can choose which emails you receive in the dashboard settings.',
};

/** Email clients and providers post directly to this path (RFC 8058), so it doesn't require a session. */
const UNSUBSCRIBE_PATH = '/unsubscribe/:member/:list/:token';

/** A GET request only shows a button, because mail scanners open links. */
export function unsubscribePages({ unsubscribes, writes }: PageParts): GuestPage[] {
  const answered = async ({ params }: Guest, answer: (list: MailList) => Promise<Reply>) => {
    const list = MAIL_LISTS.find((each) => each === params.list);
    const isProven = list !== undefined && unsubscribes.isProofOf(params.member as MemberId, list, params.token ?? '');
    return isProven ? answer(list) : page(INVALID.title, MessagePage(INVALID), 404);
  };
  return [
    get(UNSUBSCRIBE_PATH, 'anybody', (guest) =>
      answered(guest, async (list) => page('Unsubscribe', unsubscribeView({ list }))),
    ),
    post(UNSUBSCRIBE_PATH, 'anybody', (guest) =>
      answered(guest, async (list) => {
        await mailPreferenceStore(writes).end(guest.params.member as MemberId, list);
        const title = `Unsubscribed from ${MAIL_LIST_NAMES[list]}`;
        const children = "You can switch them on again in the dashboard's settings.";
        return page(title, MessagePage({ title, children }));
      }),
    ),
  ];
}
