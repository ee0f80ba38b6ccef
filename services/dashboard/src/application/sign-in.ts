import { randomBytes } from 'node:crypto';
import { parseIpAddress, withoutMapping } from '@artist-watch/address-policy/ip-address';
import type { SessionId, SignInRequestId } from '@artist-watch/domain/ids';
import type { SignInStore } from '@artist-watch/persistence/sign-in/requests';
import { newId } from '@artist-watch/runtime/ids';
import Bowser from 'bowser';
import { sha256 } from './fields.js';
import type { Guest, KeptForm } from './page.js';

/** The cookie in a browser that is waiting for a sign-in email. */
export interface WaitingBrowser {
  readonly id: SignInRequestId;
  readonly browserSha256: Uint8Array;
  readonly to: string;
  /** True if the browser claims to be waiting for a fresh code. This claim is verified against the database. */
  readonly isFresh: boolean;
}

const VALUE = /^(sgn_[0-9a-f]{32})\.([\w-]{43})\.([\w-]*)(\.fresh)?$/;

const TOKEN_BYTES = 32;

/**
 * The cookie lasts longer than the email (15 minutes), so that someone who comes back late learns that the email has
 * expired.
 */
const COOKIE_SECONDS = 24 * 60 * 60;

/** Queues an email with a code and ties the code to this browser. Returns false if too many emails were requested. */
export async function beginSignIn(
  { signIns, onMailWritten }: { readonly signIns: SignInStore; readonly onMailWritten: () => void },
  { now, clientAddress, setCookie }: Pick<Guest, 'now' | 'clientAddress' | 'setCookie'>,
  { to, ...who }: { readonly email: string; readonly sessionId?: SessionId; readonly to: string },
): Promise<boolean> {
  const id = newId('sgn', now);
  const browserToken = randomBytes(TOKEN_BYTES).toString('base64url');
  const began = await signIns.begin({
    ...who,
    id,
    now,
    browserSha256: sha256(browserToken),
    clientNetwork: clientNetwork(clientAddress),
    place: clientPlace(clientAddress),
  });
  if (!began) return false;
  onMailWritten();
  const value = [id, browserToken, Buffer.from(to).toString('base64url'), ...(who.sessionId ? ['fresh'] : [])];
  setCookie('sign-in', value.join('.'), COOKIE_SECONDS);
  return true;
}

export function parseWaitingCookie(value: string | undefined): WaitingBrowser | undefined {
  const [, id, token = '', to = '', fresh] = VALUE.exec(value ?? '') ?? [];
  if (id === undefined) return undefined;
  return {
    id: id as SignInRequestId,
    browserSha256: sha256(token),
    to: pathWithin(Buffer.from(to, 'base64url').toString('utf8')),
    isFresh: fresh !== undefined,
  };
}

/** A cookie has at most 1,000 characters, and base64 uses four characters for every three characters in the path. */
const MAX_PATH_CHARS = 600;

/**
 * Returns the path if it is safe to redirect to, or `/` if not. Parses the URL like browsers do, because
 * `/a/..//attacker.example` leads to another host.
 */
export function pathWithin(to: string): string {
  const base = 'http://dashboard.invalid';
  if (!URL.canParse(to, base)) return '/';
  const { origin, pathname, search } = new URL(to, base);
  const path = `${pathname}${search}`;
  const isKept = origin === base && /^\/a\/acc_[0-9a-f]+(\/|$)/.test(pathname) && path.length <= MAX_PATH_CHARS;
  return isKept ? path : '/';
}

const IPV6_NETWORK_BYTES = 8;

/** Returns the IPv4 address, or the /64 for an IPv6 address, because a household usually has a whole /64. */
export function clientNetwork(address: string): string {
  const bytes = bytesOf(address);
  if (!bytes) return 'unknown';
  return bytes.length === 4 ? bytes.join('.') : `${bytes.toString('hex', 0, IPV6_NETWORK_BYTES)}/64`;
}

/** Returns the /48 for an IPv6 address, because a whole /48 may belong to a single customer. Undefined for IPv4. */
export function ipv6Site(address: string): string | undefined {
  const bytes = bytesOf(address);
  return bytes?.length === 16 ? `${bytes.toString('hex', 0, IPV6_PLACE_BYTES)}/48` : undefined;
}

/** The time Bowser takes to parse grows with the square of the length (50 ms for 16 KiB). */
export const MAX_USER_AGENT_CHARS = 300;
const MAX_DEVICE_CHARS = 80;
const IPV4_PLACE_BYTES = 3;
const IPV6_PLACE_BYTES = 6;

/** Returns a name such as `Firefox on Linux`, without a version, because versions change every month. */
export function deviceName(userAgent: string): string {
  if (userAgent === '') return 'an unknown browser';
  const parser = Bowser.getParser(userAgent.slice(0, MAX_USER_AGENT_CHARS));
  const browser = parser.getBrowserName() || 'an unknown browser';
  const system = parser.getOSName();
  return (system === '' ? browser : `${browser} on ${system}`).slice(0, MAX_DEVICE_CHARS);
}

/**
 * Returns the /24 for an IPv4 address, or the /48 for an IPv6 address. A client usually stays in the same network for
 * longer than a day.
 */
export function clientPlace(address: string): string {
  const bytes = bytesOf(address);
  return bytes?.toString('hex', 0, bytes.length === 4 ? IPV4_PLACE_BYTES : IPV6_PLACE_BYTES) ?? 'unknown';
}

/** Ignores the zone in an IPv6 address. */
function bytesOf(address: string): Buffer | undefined {
  const parsed = parseIpAddress(withoutMapping(address.replace(/%.*$/, '')));
  return parsed && Buffer.from(parsed.bytes);
}

/** The parameter with the path to resubmit the form to once the user has signed in or entered a code. */
export const REPEAT = 'repeat';

const PREFIX = 'kept.';

/** Reads a form that was just submitted, or one that was saved while the user signed in. */
export function keptForm({ query, form }: Pick<Guest, 'query' | 'form'>): KeptForm {
  const path = query.get(REPEAT);
  if (path) return [[REPEAT, path], ...[...form].map(([name, value]) => [PREFIX + name, value] as const)];
  return [...form].filter(([name]) => name === REPEAT || name.startsWith(PREFIX));
}

export function pathOfKept(form: URLSearchParams): string | undefined {
  const path = form.get(REPEAT);
  return path === null ? undefined : pathWithin(path);
}

/** Returns a saved form's original fields. */
export function sentAgain(form: URLSearchParams): URLSearchParams {
  if (!form.has(REPEAT)) return form;
  const kept = [...form].filter(([name]) => name.startsWith(PREFIX));
  return new URLSearchParams(kept.map(([name, value]) => [name.slice(PREFIX.length), value]));
}
