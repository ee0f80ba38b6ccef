import {
  CHAT_TITLES,
  type ChatKind,
  chatAddressProblem,
  chatKindOf,
  type DestinationKind,
  isChat,
  readChatAddress,
} from '@artist-watch/domain/channel/destination-kind';
import { checkAddress } from './check-address.js';
import { type Cidr, cidrContains, type Host, isAllowedPort, parseHost } from './ip-address.js';

type DestinationUrlProblem =
  /** The text is not an absolute URL, is longer than 2,048 characters, or contains white space or a backslash. */
  | 'unreadable'
  | 'scheme'
  /** The URL has a user name or password, or just an @ before the host. */
  | 'user_info'
  | 'host'
  /** Not 80, 443 or 1024 to 65535. */
  | 'port'
  | 'forbidden_address';

type DestinationUrlVerdict =
  | {
      readonly ok: true;
      readonly url: URL;
      readonly host: Extract<Host, { kind: 'address' | 'name' }>;
      readonly port: number;
    }
  | { readonly ok: false; readonly reason: DestinationUrlProblem };

const MAX_URL_CHARS = 2_048;
const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 } as const;

/** Checks a destination's URL, but does not resolve its host. */
export function checkDestinationUrl(urlText: string, allowCidrs: readonly Cidr[]): DestinationUrlVerdict {
  // URL parsers disagree on how to repair such URLs.
  if (urlText.length > MAX_URL_CHARS || /[\s\p{Cc}\\]/u.test(urlText)) return { ok: false, reason: 'unreadable' };
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(urlText) ?? [];
  if (scheme === undefined || authority === undefined) return { ok: false, reason: 'unreadable' };
  if (!/^https?$/i.test(scheme)) return { ok: false, reason: 'scheme' };
  if (authority.includes('@')) return { ok: false, reason: 'user_info' };

  // In "https:///path", a URL parser would treat the path as the host.
  if (authority === '') return { ok: false, reason: 'host' };

  if (!URL.canParse(urlText)) return { ok: false, reason: 'unreadable' };
  const url = new URL(urlText);
  const host = parseHost(url.hostname);
  if (host.kind === 'invalid' || host.kind === 'zone_id') return { ok: false, reason: 'host' };
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol as keyof typeof DEFAULT_PORTS] : Number(url.port);
  if (!isAllowedPort(port)) return { ok: false, reason: 'port' };
  if (host.kind === 'address' && !checkAddress(host.address, allowCidrs).allowed) {
    return { ok: false, reason: 'forbidden_address' };
  }
  return { ok: true, url, host, port };
}

export interface JudgeOptions {
  /** `EGRESS_ALLOW_CIDRS` */
  readonly allowCidrs: readonly Cidr[];
  /** Default: `webhook`. */
  readonly kind?: DestinationKind;
}

export type DestinationJudgement = { readonly ok: true } | { readonly ok: false; readonly message: string };

/**
 * Checks whether a customer may save this URL (docs/reference/egress.md). Does not look up host names, because the
 * result would reveal which internal names exist. The egress proxy checks the addresses on every request.
 */
export function judgeDestination(urlText: string, options: JudgeOptions): DestinationJudgement {
  if (UNSTORABLE.test(urlText)) return { ok: false, message: 'url must not contain control characters.' };
  if (options.kind !== undefined && isChat(options.kind))
    return judgeChatUrl(options.kind, urlText, options.allowCidrs);
  const chatKind = chatKindOf(urlText);
  if (chatKind) {
    const message = `This is a ${CHAT_TITLES[chatKind]} incoming-webhook URL. Choose the kind "${chatKind}" for it.`;
    return { ok: false, message };
  }
  const verdict = checkDestinationUrl(urlText, options.allowCidrs);
  if (!verdict.ok) return { ok: false, message: MESSAGES[verdict.reason] };
  const { host } = verdict;
  if (options.allowCidrs.length === 0 && host.kind === 'name' && isLocalName(host.name)) {
    return { ok: false, message: MESSAGES.forbidden_address };
  }
  return { ok: true };
}

/** Domains used by local networks (RFC 6761, RFC 6762, ICANN's .internal) and by Kubernetes services (`svc`). */
const LOCAL_DOMAINS = ['local', 'localhost', 'internal', 'svc', 'home.arpa'];

function isLocalName(name: string): boolean {
  return !name.includes('.') || LOCAL_DOMAINS.some((domain) => name.endsWith(`.${domain}`));
}

/** Accepts only the chat service's incoming-webhook URLs or, for tests, an IP address in `EGRESS_ALLOW_CIDRS`. */
function judgeChatUrl(kind: ChatKind, urlText: string, allowCidrs: readonly Cidr[]): DestinationJudgement {
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
  unreadable: 'The URL must be an absolute http or https URL of at most 2,048 characters, without white space.',
  scheme: 'The URL must start with https:// or http://.',
  user_info: 'The URL must not contain a user name or password.',
  host: 'The host name of the URL is missing or invalid.',
  port: 'The port of the URL must be 80, 443, or from 1024 to 65535.',
  forbidden_address: "We can't send to this URL, because it is not on the public internet.",
};

/** Characters that URL parsers or PostgreSQL would remove, replace or reject. */
const UNSTORABLE = /[\p{Cc}\p{Surrogate}]/u;
