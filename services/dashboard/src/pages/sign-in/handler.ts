import { randomBytes } from 'node:crypto';
import type { SignInProof } from '@artist-watch/domain/account/credentials';
import type { ProofRefusal } from '@artist-watch/persistence/sign-in/requests';
import { SESSION_LIFETIME_MS, sessionStore } from '@artist-watch/persistence/sign-in/sessions';
import { newId } from '@artist-watch/runtime/ids';
import { isEmailAddress, knownZone, sha256 } from '../../application/fields.js';
import { type Guest, type GuestPage, get, page, post, type Reply, redirect } from '../../application/page.js';
import {
  beginSignIn,
  clientPlace,
  deviceName,
  keptForm,
  MAX_USER_AGENT_CHARS,
  parseWaitingCookie,
  pathOfKept,
  pathWithin,
  REPEAT,
  type WaitingBrowser,
} from '../../application/sign-in.js';
import type { PageParts } from '../parts.js';
import {
  accountsView,
  codeView,
  confirmView,
  elsewhereView,
  linkView,
  RETRY_ADVICE,
  refusalSentence,
  signInView,
} from './view.js';

const TOKEN_BYTES = 32;
const LINK_PATH = '/sign-in/link/:request/:token';
const CONFIRM = "Confirm that it's you";
const CODE_ACCEPTED = "Code accepted. Now repeat your last step. You won't need another code for 30 minutes.";

/**
 * Serves sign-in by email, sign-out, and fresh codes. GET requests don't change anything, because mail scanners open
 * links. Codes and links only work in the browser that requested them, because emails can be forwarded.
 */
export function signInPages(parts: PageParts): GuestPage[] {
  /** True if this browser's member has already signed in with the link. */
  const isUsed = async ({ params, session }: Guest) => {
    const signedIn = await session();
    return signedIn !== undefined && parts.signIns.isUsed(params.request ?? '', signedIn.email);
  };
  return [
    // Lets members of several accounts choose one of them.
    get('/', 'anybody', async ({ session }) => {
      const signedIn = await session();
      if (!signedIn) return redirect('/sign-in');
      const memberships = await sessionStore(parts.reads).memberships(signedIn.email);
      const [only] = memberships;
      if (only && memberships.length === 1) return redirect(`/a/${only.accountId}`);
      return page('Accounts', accountsView({ email: signedIn.email, memberships }));
    }),
    post('/sign-out', 'anybody', async ({ session, setCookie }) => {
      const signedIn = await session();
      if (signedIn) await sessionStore(parts.writes).end(signedIn.id, signedIn.email);
      setCookie('session', undefined);
      return redirect('/sign-in');
    }),
    get('/sign-in', 'anybody', async ({ query }) =>
      page('Sign in', signInView({ to: pathWithin(query.get('to') ?? ''), isUndone: query.has('undone') })),
    ),
    post('/sign-in', 'anybody', (guest) => ask(guest, parts)),
    get('/fresh-code', 'anybody', async ({ query, session }) => {
      const signedIn = await session();
      const to = pathWithin(query.get('to') ?? '');
      return signedIn
        ? page(CONFIRM, confirmView({ email: signedIn.email, to, isUndone: query.has('undone') }))
        : redirect('/sign-in');
    }),
    post('/fresh-code', 'anybody', async (guest) => {
      const signedIn = await guest.session();
      if (!signedIn) return redirect('/sign-in');
      const { id: sessionId, email } = signedIn;
      const to = toOf(guest);
      const kept = keptForm(guest);
      if (guest.query.get(REPEAT)) return page(CONFIRM, confirmView({ email, to, kept, isUndone: true }));
      if (await beginSignIn(parts, guest, { email, sessionId, to }))
        return askForCode({ email, to, kept, isFresh: true });
      const problem = `Too many codes were requested. ${RETRY_ADVICE}`;
      return page(CONFIRM, confirmView({ email, to, kept, problem }), 429);
    }),
    get('/sign-in/code', 'anybody', async ({ cookie }) => {
      const waiting = parseWaitingCookie(cookie('sign-in'));
      const request = waiting && (await parts.signIns.find(waiting));
      return request ? page('Enter the code', codeView({ ...waiting, ...request })) : redirect('/sign-in');
    }),
    post('/sign-in/code', 'anybody', async (guest) => {
      const waiting = parseWaitingCookie(guest.cookie('sign-in'));
      if (!waiting) return redirect('/sign-in');
      const refusal = await enter(guest, waiting, { kind: 'code', text: guest.form.get('code') ?? '' }, parts);
      const repeated = pathOfKept(guest.form);
      if (!refusal && repeated !== undefined) return { kind: 'repeat', to: repeated };
      if (!refusal) return redirect(waiting.to, waiting.isFresh ? CODE_ACCEPTED : undefined);
      const request = await parts.signIns.find(waiting);
      if (!request) return redirect('/sign-in');
      const problem = refusalSentence(refusal);
      return page('Enter the code', codeView({ ...waiting, ...request, kept: keptForm(guest), problem }), 400);
    }),
    get(LINK_PATH, 'anybody', async (guest) => {
      const { cookie, params } = guest;
      if (await isUsed(guest)) return redirect('/');
      const waiting = parseWaitingCookie(cookie('sign-in'));
      const request = waiting && waiting.id === params.request ? await parts.signIns.find(waiting) : undefined;
      if (!request) return page('Link from another browser', elsewhereView({}), 403);
      return page('Sign in', linkView({ ...request, action: `/sign-in/link/${params.request}/${params.token}` }));
    }),
    post(LINK_PATH, 'anybody', async (guest) => {
      if (await isUsed(guest)) return redirect('/');
      const waiting = parseWaitingCookie(guest.cookie('sign-in'));
      if (!waiting || waiting.id !== guest.params.request)
        return page('Link from another browser', elsewhereView({}), 403);
      const refusal = await enter(guest, waiting, { kind: 'link', text: guest.params.token ?? '' }, parts);
      if (!refusal) return redirect(waiting.to);
      return page('Sign in again', elsewhereView({ problem: refusalSentence(refusal) }), 400);
    }),
  ];
}

const ELSEWHERE: ProofRefusal = { kind: 'elsewhere' };

/** Does the same work and sends the same response whether or not the email address belongs to a member. */
async function ask(guest: Guest, parts: PageParts): Promise<Reply> {
  const { form } = guest;
  const typed = (form.get('email') ?? '').trim();
  const to = toOf(guest);
  const kept = keptForm(guest);
  if (guest.query.get(REPEAT)) return page('Sign in', signInView({ to, kept, isUndone: true }));
  const refuse = (status: number, problem: string) =>
    page('Sign in', signInView({ to, kept, email: typed, problem }), status);
  if (!isEmailAddress(typed)) return refuse(400, 'Enter your email address, such as ann@label.example.');
  const began = await beginSignIn(parts, guest, { email: typed, to });
  if (!began) {
    return refuse(
      429,
      `Too many sign-in emails were requested for this email address or from your network. ${RETRY_ADVICE}`,
    );
  }
  return askForCode({ email: typed, to, kept, isFresh: false });
}

function toOf({ query, form }: Guest): string {
  return pathWithin(query.get('to') ?? form.get('to') ?? '');
}

/** A redirect would lose the saved form. */
function askForCode(asked: Parameters<typeof codeView>[0]): Reply {
  return asked.kept?.length ? page('Enter the code', codeView(asked)) : redirect('/sign-in/code');
}

/**
 * Signing in always creates a new session. Entering a fresh code keeps the existing one.
 *
 * @returns undefined if the code or link is valid
 */
async function enter(
  { now, clientAddress, userAgent, form, setCookie, session }: Guest,
  waiting: WaitingBrowser,
  proof: SignInProof,
  { writes, signIns, onMailWritten }: PageParts,
): Promise<ProofRefusal | undefined> {
  const earlier = await session();
  if (waiting.isFresh) {
    const refusal = earlier ? await signIns.refresh(waiting, proof, earlier.id, now) : ELSEWHERE;
    if (!refusal) setCookie('sign-in', undefined);
    return refusal;
  }
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const refusal = await signIns.signIn(
    waiting,
    proof,
    {
      id: newId('ses', now),
      tokenSha256: sha256(token),
      clientAddress,
      userAgent: userAgent.slice(0, MAX_USER_AGENT_CHARS),
      device: deviceName(userAgent),
      place: clientPlace(clientAddress),
      zone: knownZone(form.get('zone')),
    },
    now,
  );
  if (refusal) return refusal;
  onMailWritten();
  if (earlier) await sessionStore(writes).end(earlier.id, earlier.email);
  setCookie('session', token, SESSION_LIFETIME_MS / 1_000);
  setCookie('sign-in', undefined);
  return undefined;
}
