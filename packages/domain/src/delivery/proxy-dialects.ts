/** Lets Smokescreen or Squid replace services/egress-proxy (docs/reference/egress.md). */
import { type EgressError, isEgressError } from './attempt-errors.js';

export type ReasonSource = (typeof REASON_HEADERS)[number];

/** The first header takes precedence. */
export const REASON_HEADERS = ['x-egress-error', 'x-smokescreen-error', 'x-squid-error'] as const;

/** Returns null if the reason is not recognized. */
export function translateProxyReason(source: ReasonSource, text: string, status: number): EgressError | null {
  switch (source) {
    case 'x-egress-error':
      return ours(text);
    case 'x-smokescreen-error':
      return smokescreen(text);
    case 'x-squid-error':
      return squid(text, status);
  }
}

function ours(text: string): EgressError | null {
  const token = text.trim();
  return isEgressError(token) ? token : null;
}

/** The first matching phrase determines the error. Host names contain no spaces, so customers cannot forge a phrase. */
const SMOKESCREEN_PHRASES: readonly (readonly [phrase: RegExp, error: EgressError])[] = [
  // Match the proxy's own faults first, because their messages also contain "failed to connect" or "lookup".
  [/too many open files|cannot assign requested address|no buffer space|cannot allocate memory/i, 'overloaded'],
  [/maximum concurrent connect tunnels exceeded/i, 'overloaded'],
  // The proxy has no rules for our client, or a local packet filter blocked the connection.
  [/client role cannot be determined|: (?:internal error|no rule matched|unexpected policy value)\b/i, 'internal'],
  [/operation not permitted/i, 'internal'],
  // For IPv6, "permission denied" comes from a firewall on the network path. For IPv4, it comes from the proxy's host.
  [/dial tcp \[[0-9a-f:.]+\]:\d+: connect: permission denied/i, 'connection_failed'],
  [/permission denied/i, 'internal'],
  [/unable to parse |unable to determine port|invalid port number/i, 'bad_request'],
  [/denied by rule '/i, 'forbidden_address'],
  // Smokescreen also rejects IPv6 addresses if it has hostname rules.
  [/egress proxying is denied/i, 'forbidden_destination'],
  [/no such host|no ips resolved|no ip addresses to evaluate/i, 'name_not_found'],
  // In "lookup x on 10.0.0.2:53: … connection refused", the resolver refused the connection.
  [/\blookup .*connection refused/i, 'internal'],
  [/\blookup /i, 'name_lookup_failed'],
  [/connection refused/i, 'connection_refused'],
  [/i\/o timeout|timed out connecting|connection timed out/i, 'connection_timed_out'],
  [/failed to connect to remote host/i, 'connection_failed'],
];

/** The operator's own text follows two line breaks, which Go replaces with spaces when it writes the header. */
const OPERATOR_TEXT = /[\s]{2}.*$/s;

function smokescreen(text: string): EgressError | null {
  const said = text.replace(OPERATOR_TEXT, '');
  return SMOKESCREEN_PHRASES.find(([phrase]) => phrase.test(said))?.[1] ?? null;
}

/** Squid sends the name of an error page and an errno, such as `ERR_CONNECT_FAIL 111`. */
const SQUID_PAGES: Readonly<Record<string, EgressError>> = {
  ERR_ACCESS_DENIED: 'forbidden_destination',
  ERR_DNS_FAIL: 'name_lookup_failed',
  ERR_READ_TIMEOUT: 'connection_timed_out',
  ERR_LIFETIME_EXP: 'connection_timed_out',
  ERR_READ_ERROR: 'connection_failed',
  ERR_WRITE_ERROR: 'connection_failed',
  ERR_ZERO_SIZE_OBJECT: 'connection_failed',
  ERR_INVALID_REQ: 'bad_request',
  ERR_INVALID_URL: 'bad_request',
  ERR_UNSUP_REQ: 'bad_request',
  ERR_UNSUP_HTTPVERSION: 'bad_request',
  ERR_PROTOCOL_UNKNOWN: 'bad_request',
  ERR_CACHE_ACCESS_DENIED: 'internal',
  ERR_CACHE_MGR_ACCESS_DENIED: 'internal',
  ERR_FORWARDING_DENIED: 'internal',
  ERR_GATEWAY_FAILURE: 'internal',
  ERR_ICAP_FAILURE: 'internal',
  ERR_SECURE_CONNECT_FAIL: 'internal',
  ERR_SHUTTING_DOWN: 'overloaded',
  ERR_SOCKET_FAILURE: 'overloaded',
  ERR_TOO_BIG: 'internal',
};

/** Linux error numbers, plus the BSD numbers where they differ. */
const SQUID_CONNECT_ERRNO: Readonly<Record<string, EgressError>> = {
  '111': 'connection_refused', // ECONNREFUSED
  '61': 'connection_refused',
  '110': 'connection_timed_out', // ETIMEDOUT
  '60': 'connection_timed_out',
  '24': 'overloaded', // EMFILE
  '23': 'overloaded', // ENFILE
  '99': 'overloaded', // EADDRNOTAVAIL
  '1': 'internal', // EPERM: a local packet filter
  '13': 'internal', // EACCES
};

const SQUID_ERROR = /^\s*([A-Z][A-Z0-9_]{0,63})(?:\s+([0-9]{1,6}))?\s*$/;

function squid(text: string, status: number): EgressError | null {
  const [, page, errno = '0'] = SQUID_ERROR.exec(text) ?? [];
  if (page === undefined) return null;
  if (page === 'ERR_CONNECT_FAIL') return lookup(SQUID_CONNECT_ERRNO, errno) ?? 'connection_failed';
  // Squid sends 500 if the name servers failed, and another status if no parent proxy is available.
  if (page === 'ERR_CANNOT_FORWARD') return status === 500 ? 'name_lookup_failed' : 'internal';
  // With deny_info, the operator's own error page replaces ERR_ACCESS_DENIED.
  return lookup(SQUID_PAGES, page) ?? (status === 403 ? 'forbidden_destination' : null);
}

function lookup<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
