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
  const host = parseHost(hostText);
  const port = Number(portText);
  return host.kind === 'invalid' || port > MAX_PORT ? undefined : { host, hostText, port };
}
