import {
  type ChatKind,
  chatAddressProblem,
  type DestinationKind,
  isChat,
  readChatAddress,
} from '@artist-watch/domain/channel/destination-kind';
import { Gate, Gates } from '@artist-watch/runtime/gate';
import { checkDestinationUrl, type DestinationUrlProblem } from './destination-url.js';
import { type Cidr, cidrContains } from './ip-address.js';
import { type Resolver, resolveAndCheck } from './resolve-and-check.js';

export interface JudgeOptions {
  readonly resolve: Resolver;
  /** `EGRESS_ALLOW_CIDRS` */
  readonly allowCidrs: readonly Cidr[];
  /** How long the name servers may be waited for. */
  readonly signal?: AbortSignal;
  /** `webhook` unless given. */
  readonly kind?: DestinationKind;
}

export type DestinationJudgement =
  | { readonly ok: true }
  /** A sentence for the customer. */
  | { readonly ok: false; readonly message: string };

/**
 * May this be written as the address of a destination (docs/reference/egress.md)? Judged as the egress will,
 * except that a name which does not resolve, or whose servers do not answer, is taken: it may be one that is yet to be
 * set up, and the egress judges again at every request.
 */
export async function judgeDestination(urlText: string, options: JudgeOptions): Promise<DestinationJudgement> {
  if (options.kind !== undefined && isChat(options.kind)) return judgeChat(options.kind, urlText, options.allowCidrs);
  const verdict = checkDestinationUrl(urlText, options.allowCidrs);
  if (!verdict.ok) return { ok: false, message: MESSAGES[verdict.reason] };
  const { host } = verdict;
  // Before any look-up, so that the response does not reveal which internal names exist.
  if (options.allowCidrs.length === 0 && host.kind === 'name' && isLocalName(host.name)) {
    return { ok: false, message: MESSAGES.forbidden_address };
  }
  const resolution = await resolveAndCheck(host, options);
  return resolution.kind === 'forbidden' ? { ok: false, message: MESSAGES.forbidden_address } : { ok: true };
}

/** Domains of local networks (RFC 6761, RFC 6762, ICANN's .internal) and of Kubernetes (also without its cluster domain). */
const LOCAL_DOMAINS = ['local', 'localhost', 'internal', 'svc', 'home.arpa'];

/** A name that no public name server answers for: without a dot, or under a local domain such as `cluster.local`. */
function isLocalName(name: string): boolean {
  return !name.includes('.') || LOCAL_DOMAINS.some((domain) => name.endsWith(`.${domain}`));
}

/**
 * An incoming-webhook address of the platform, whose host needs no look-up. Or one of the same form on an address that
 * `EGRESS_ALLOW_CIDRS` opens: a receiver of the operator's own, for tests.
 */
function judgeChat(kind: ChatKind, urlText: string, allowCidrs: readonly Cidr[]): DestinationJudgement {
  const address = readChatAddress(kind, urlText);
  if (address?.isPlatform) return { ok: true };
  const verdict = address && checkDestinationUrl(urlText, allowCidrs);
  if (verdict?.ok && verdict.host.kind === 'address') {
    const { address: host } = verdict.host;
    if (allowCidrs.some((range) => cidrContains(range, host))) return { ok: true };
  }
  return { ok: false, message: chatAddressProblem(kind) };
}

const MESSAGES: Readonly<Record<DestinationUrlProblem, string>> = {
  unreadable: 'The address must be an absolute http or https URL of at most 2,048 characters, without white space.',
  scheme: 'The address must begin with https:// or http://.',
  user_info: 'The address must not contain a user name or a password.',
  host: 'The address has no host name that could exist.',
  port: 'The port of the address must be 80, 443, or from 1024 to 65535.',
  forbidden_address: 'The address leads to a network that webhooks are not sent to.',
};

/** May a destination of this kind have the address? Rejects with GateFull when too many are asked. */
export type AddressJudge = (url: string, kind: DestinationKind, accountId: string) => Promise<DestinationJudgement>;

/** Of one account at once; as many as its plan has destinations may wait. */
const LOOK_UPS_OF_ACCOUNT = { places: 2, maxWaiting: 10, maxWaitMs: 5_000 };
const LOOK_UPS = { places: 64, maxWaiting: 100, maxWaitMs: 2_000 };

/** What URLs and the record cannot keep as it is. */
const UNSTORABLE = /[\p{Cc}\p{Surrogate}]/u;

/**
 * Judges the addresses that customers write. Name servers that fall silent keep those waiting who sent us there, and nobody
 * else (docs/adr/0022).
 *
 * @param allowCidrs EGRESS_ALLOW_CIDRS
 */
export function addressJudge(allowCidrs: readonly Cidr[], resolve: Resolver): AddressJudge {
  const ofAccounts = new Gates(LOOK_UPS_OF_ACCOUNT);
  const ofAll = new Gate(LOOK_UPS);
  return async (url, kind, accountId) => {
    if (UNSTORABLE.test(url)) return { ok: false, message: 'url must not hold control characters.' };
    return ofAccounts.run(accountId, () => ofAll.run(() => judgeDestination(url, { kind, resolve, allowCidrs })));
  };
}
