import { type Host, parseHost } from '@artist-watch/address-policy/host';

export interface Target {
  readonly host: Host;
  /** As the client wrote it, for the log. */
  readonly hostText: string;
  readonly port: number;
}

/** Printable ASCII without white space: a request line has nothing else (RFC 9112 section 3.2). */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const AUTHORITY = /^(\[[^\]]*\]|[^:[\]]+):(\d{1,5})$/;
const MAX_PORT = 65_535;

/** The target of CONNECT, `host:port` (RFC 9110 section 9.3.6: the port is not optional). Undefined when it is none. */
export function parseAuthorityForm(text: string): Target | undefined {
  if (!VISIBLE_ASCII.test(text)) return undefined;
  const [, hostText, portText] = AUTHORITY.exec(text) ?? [];
  if (hostText === undefined || portText === undefined) return undefined;
  return targetOf(hostText, Number(portText));
}

export interface AbsoluteTarget extends Target {
  /** `host` or `host:port`, for the Host header that the destination is to see. */
  readonly authority: string;
  /** Path and query, for the request line that the destination is to see. */
  readonly path: string;
}

const ABSOLUTE = /^http:\/\/([^/?#]+)(\/[^?#]*)?(\?[^#]*)?$/i;
const DEFAULT_PORT = '80';

/**
 * The target of a request in absolute form (RFC 9112 section 3.2.2). `http` only: for https a client must use CONNECT, or
 * this proxy would have to see its content. Undefined when it is none, or has user-info or a fragment.
 */
export function parseAbsoluteForm(text: string): AbsoluteTarget | undefined {
  if (!VISIBLE_ASCII.test(text)) return undefined;
  const [, authority, path = '/', query = ''] = ABSOLUTE.exec(text) ?? [];
  if (authority === undefined) return undefined;
  const target = parseAuthorityForm(/:\d*$/.test(authority) ? authority : `${authority}:${DEFAULT_PORT}`);
  return target && { ...target, authority, path: `${path}${query}` };
}

function targetOf(hostText: string, port: number): Target | undefined {
  const host = parseHost(hostText);
  return host.kind === 'invalid' || port > MAX_PORT ? undefined : { host, hostText, port };
}
