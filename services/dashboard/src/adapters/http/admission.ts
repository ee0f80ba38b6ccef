import { setImmediate } from 'node:timers/promises';
import { ApiError } from '@artist-watch/contracts/api/errors';
import type { AccountId } from '@artist-watch/domain/ids';
import { FixedWindows, RequestsInProgress, secondsToWait } from '@artist-watch/http/limit/rate-limit';
import { Gate } from '@artist-watch/runtime/gate';
import { clientNetwork, ipv6Site } from '../../application/sign-in.js';
import type { PageContext } from './page-context.js';

/** Limit per client network. A whole office behind one IP address stays far below it. */
const GUEST_PAGES = { limit: 300, windowMs: 60_000 };
/** The limit for forms is lower, because forms cause writes. */
const GUEST_FORMS = { limit: 120, windowMs: 15 * 60_000 };
/** A /48 contains 65,536 /64 networks, which may all belong to one customer. */
const NETWORKS_PER_SITE = 8;
const MAX_NETWORKS = 50_000;

/**
 * Concurrent requests per person, per account (for feed reads) or per network (for guests). For comparison, a browser
 * opens up to six connections.
 */
const IN_PROGRESS = { atOnce: 16, maxWaiting: 100 };

/** Twice the limit per person, so that one person can use at most half of the account's limit. */
const ACCOUNT_IN_PROGRESS = { atOnce: 32, maxWaiting: 500 };

/** Guest pages are started one at a time, so that members' requests can run in between. */
const GUEST_STARTS = { maxRunning: 1, maxWaiting: 500, maxWaitMs: 3_000 };
/** Guest forms run one at a time, so that they leave database connections for members' writes. */
const GUEST_WRITES = { maxRunning: 1, maxWaiting: 100, maxWaitMs: 3_000 };

interface KnownCallers {
  personOf(session: string): string | undefined;
  accountOfFeed(token: string): AccountId | undefined;
}

/** Admits or rejects each request before its body is read and before any query runs (docs/adr/0028). */
export class Admission {
  readonly #pages = new FixedWindows({ windowMs: GUEST_PAGES.windowMs, maxNames: MAX_NETWORKS });
  readonly #forms = new FixedWindows({ windowMs: GUEST_FORMS.windowMs, maxNames: MAX_NETWORKS });
  readonly #inProgress = new RequestsInProgress(IN_PROGRESS);
  readonly #ofAccounts = new RequestsInProgress(ACCOUNT_IN_PROGRESS);
  readonly #guestStarts = new Gate(GUEST_STARTS);
  readonly #guestWrites = new Gate(GUEST_WRITES);
  readonly #known: KnownCallers;

  constructor(known: KnownCallers) {
    this.#known = known;
  }

  /** @throws ApiError `rate_limited`, GateFull */
  async admit(context: PageContext, isGuestPage: boolean): Promise<void> {
    const { clientAddress } = context.browser();
    const caller = this.#knownCaller(context);
    const nowMs = context.now.getTime();
    if (caller === undefined) countGuest(this.#pages, GUEST_PAGES.limit, clientAddress, nowMs);
    if (isGuestPage && !context.isRead) countGuest(this.#forms, GUEST_FORMS.limit, clientAddress, nowMs);
    await this.#inProgress.enter(caller ?? clientNetwork(clientAddress), context);
  }

  /** Limits an account's requests, no matter how many members it has. @throws GateFull */
  admitMember(context: PageContext, accountId: AccountId): Promise<void> {
    return this.#ofAccounts.enter(accountId, context);
  }

  /** Runs `work` for a public page. Only guests may have to wait. @throws GateFull */
  async runPublic(context: PageContext, work: () => Promise<void>): Promise<void> {
    if (this.#knownCaller(context) !== undefined) return work();
    await this.#guestStarts.run(() => setImmediate());
    return context.isRead ? work() : this.#guestWrites.run(work);
  }

  /** Returns undefined for guests, and for sessions or tokens that are invalid or haven't been looked up yet. */
  #knownCaller(context: PageContext): string | undefined {
    const session = context.browser().cookie('session');
    const person = session === undefined ? undefined : this.#known.personOf(session);
    if (person !== undefined) return person;
    const token = context.path === '/feed.atom' ? context.query.get('token') : null;
    return token === null ? undefined : this.#known.accountOfFeed(token);
  }
}

/** @throws ApiError `rate_limited` */
function countGuest(windows: FixedWindows, limit: number, clientAddress: string, nowMs: number): void {
  requireAdmitted(windows.count(clientNetwork(clientAddress), limit, nowMs));
  const site = ipv6Site(clientAddress);
  if (site !== undefined) requireAdmitted(windows.count(site, limit * NETWORKS_PER_SITE, nowMs));
}

function requireAdmitted({ admitted, resetsInMs }: ReturnType<FixedWindows['count']>): void {
  if (admitted) return;
  throw new ApiError('rate_limited', 'Your network has sent too many requests. Try again later.', {
    headers: { 'Retry-After': String(secondsToWait(resetsInMs)) },
  });
}
