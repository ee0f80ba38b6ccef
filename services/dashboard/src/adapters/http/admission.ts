import { createHash } from 'node:crypto';
import { ApiError } from '@artist-watch/contracts/api/errors';
import { FixedWindows, secondsToWait } from '@artist-watch/http/limit/rate-limit';
import { RequestsInProgress } from '@artist-watch/http/limit/requests-in-progress';
import { clientNetwork } from '../../application/sign-in.js';
import type { PageContext } from './page-context.js';

/** Per client network. A page costs a few milliseconds; an office behind one address stays far below it. */
const GUEST_PAGES = { limit: 300, windowMs: 60_000 };
/** Per client network: codes, links and requests for them write. A sign-in takes two. */
const GUEST_FORMS = { limit: 120, windowMs: 15 * 60_000 };
const MAX_NETWORKS = 50_000;

/** Of one browser, one feed program, or the guests of one network. Browsers open six connections. */
const IN_PROGRESS = { atOnce: 16, maxWaiting: 100 };

/** Whether a secret was valid at its last look-up. */
type IsHeld = (secret: string) => boolean;

/** Admits requests before their body is read and before any statement (docs/adr/0028). */
export class Admission {
  readonly #pages = new FixedWindows({ windowMs: GUEST_PAGES.windowMs, maxNames: MAX_NETWORKS });
  readonly #forms = new FixedWindows({ windowMs: GUEST_FORMS.windowMs, maxNames: MAX_NETWORKS });
  readonly #inProgress = new RequestsInProgress(IN_PROGRESS);
  readonly #isSession: IsHeld;
  readonly #isFeed: IsHeld;

  constructor({ isSession, isFeed }: { readonly isSession: IsHeld; readonly isFeed: IsHeld }) {
    this.#isSession = isSession;
    this.#isFeed = isFeed;
  }

  /** @throws ApiError `rate_limited`, GateFull */
  async admit(context: PageContext, isGuestPage: boolean): Promise<void> {
    const network = clientNetwork(context.browser().clientAddress);
    const secret = this.#heldSecret(context);
    const nowMs = context.now.getTime();
    if (secret === undefined) count(this.#pages.count(network, GUEST_PAGES.limit, nowMs));
    if (isGuestPage && !context.isRead) count(this.#forms.count(network, GUEST_FORMS.limit, nowMs));
    await this.#inProgress.enter(secret === undefined ? network : digestOf(secret), context);
  }

  /** Undefined for guests, and for secrets that are invented or not known yet. */
  #heldSecret(context: PageContext): string | undefined {
    const session = context.browser().cookie('session');
    if (session !== undefined && this.#isSession(session)) return session;
    const token = context.path === '/feed.atom' ? context.query.get('token') : null;
    return token !== null && this.#isFeed(token) ? token : undefined;
  }
}

function count({ admitted, resetsInMs }: ReturnType<FixedWindows['count']>): void {
  if (admitted) return;
  throw new ApiError('rate_limited', 'Your network has sent many requests in a short time. Try again later.', {
    headers: { 'Retry-After': String(secondsToWait(resetsInMs)) },
  });
}

/** No secret stays in memory as it is. */
function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64');
}
