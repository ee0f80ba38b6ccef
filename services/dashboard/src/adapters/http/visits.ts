import type { AccountId } from '@artist-watch/domain/ids';
import { NotFound } from '@artist-watch/domain/refusals';
import { unknownSecretsGate } from '@artist-watch/http/limit/holder-cache';
import type {
  FoundSession,
  SessionQuery,
  SessionRecord,
  SessionStore,
} from '@artist-watch/persistence/sign-in/sessions';
import { LRUCache } from 'lru-cache';
import { sha256, typedId } from '../../application/fields.js';
import type { Visit } from '../../application/page.js';
import type { PageContext } from './page-context.js';

/** The list of sessions doesn't need exact times, so storing them only this often saves writes. */
const TOUCH_EVERY_MS = 5 * 60_000;

const MAX_SESSIONS = 50_000;

/**
 * Uses the session cookie to find the member who sent a request. Lookups of unknown cookies share a few database
 * connections, because anyone can send made-up cookies.
 */
export class Visits {
  readonly #unknownSecrets = unknownSecretsGate();
  /** Unlike `maxSize`, `max` would allocate memory for all sessions at startup. */
  readonly #held = new LRUCache<string, string>({ maxSize: MAX_SESSIONS, sizeCalculation: () => 1 });
  readonly #sessions: SessionStore;
  readonly #onTouchFailed: (error: unknown) => void;

  constructor(sessions: SessionStore, onTouchFailed: (error: unknown) => void) {
    this.#sessions = sessions;
    this.#onTouchFailed = onTouchFailed;
  }

  personOf(token: string): string | undefined {
    return this.#held.get(nameOf(sha256(token)));
  }

  async session(context: PageContext): Promise<SessionRecord | undefined> {
    return (await this.#find(context, {}))?.session;
  }

  /** Returns `signed-out` if there is no valid session, and undefined if the person isn't a member of this account. */
  async open(
    context: PageContext,
    accountId: string,
    params: Visit['params'],
  ): Promise<Omit<Visit, 'begin' | 'form'> | 'signed-out' | undefined> {
    const asked = { accountId: accountId as AccountId, artistId: typedId('art', params.artist) };
    const found = await this.#find(context, asked);
    if (!found) return 'signed-out';
    const { session, membership, artistName } = found;
    if (!membership) return undefined;
    const { request, query, now } = context;
    const base = `/a/${membership.accountId}`;
    const hasFreshCode = session.freshUntil > now;
    return {
      ...context.browser(),
      account: { id: membership.accountId, name: membership.accountName, plan: membership.plan },
      member: { id: membership.memberId, email: session.email, role: membership.role },
      actor: { kind: 'member', id: membership.memberId, name: session.email, hasFreshCode },
      sessionId: session.id,
      hasFreshCode,
      zone: membership.zone,
      planNow: async () => {
        const { membership: current } = (await this.#find(context, asked)) ?? {};
        if (!current) throw new NotFound('page');
        return current.plan;
      },
      fragment: fragmentOf(request.headers['hx-target']),
      link: (path) => (path.startsWith('/') ? `${base}${path}` : base),
      now,
      artistName,
      params,
      query,
    };
  }

  async #find({ request, site, now }: PageContext, asked: SessionQuery): Promise<FoundSession | undefined> {
    const token = site.cookies.read(request, 'session');
    if (token === undefined) return undefined;
    const digest = sha256(token);
    const lookUp = () => this.#sessions.find(digest, asked, now);
    const found = await (this.personOf(token) !== undefined ? lookUp() : this.#unknownSecrets.run(lookUp));
    if (found) this.#held.set(nameOf(digest), found.session.email);
    else this.#held.delete(nameOf(digest));
    if (found && now.getTime() - found.session.lastSeenAt.getTime() > TOUCH_EVERY_MS) {
      // Don't wait for this write, because it only keeps the session from expiring.
      this.#sessions.touch(found.session.id, now).catch(this.#onTouchFailed);
    }
    return found;
  }
}

function nameOf(digest: Buffer): string {
  return digest.toString('base64');
}

/** `HX-Target` contains the element's tag and id, such as `div#timeline`. */
function fragmentOf(target: string | string[] | undefined): string | undefined {
  return typeof target === 'string' ? /#([\w-]+)$/.exec(target)?.[1] : undefined;
}
