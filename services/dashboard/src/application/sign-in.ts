import { randomBytes } from 'node:crypto';
import { parseIpAddress, withoutMapping } from '@artist-watch/address-policy/ip-address';
import type { SessionId, SignInRequestId } from '@artist-watch/domain/ids';
import type { SignInStore } from '@artist-watch/persistence/sign-in/requests';
import { newId } from '@artist-watch/runtime/ids';
import Bowser from 'bowser';
import { sha256 } from './fields.js';
import type { Guest } from './page.js';

/** What the browser keeps while it waits for a mail: which request is its own, and where it wanted to go. */
export interface WaitingBrowser {
  readonly id: SignInRequestId;
  readonly browserSha256: Uint8Array;
  /** A path of the dashboard. */
  readonly to: string;
  /** It waits for a fresh code of its session, as it says: whether that is so, the record knows. */
  readonly isFresh: boolean;
}

const VALUE = /^(sgn_[0-9a-f]{32})\.([\w-]{43})\.([\w-]*)(\.fresh)?$/;

const TOKEN_BYTES = 32;

/** Longer than the mail is worth something, so that whoever comes too late reads that. */
const COOKIE_SECONDS = 24 * 60 * 60;

/** Writes a mail with a code, and leaves with the browser by what it shows that it asked. False for too many mails. */
export async function beginSignIn(
  { signIns, onMailWritten }: { readonly signIns: SignInStore; readonly onMailWritten: () => void },
  { now, clientAddress, setCookie }: Pick<Guest, 'now' | 'clientAddress' | 'setCookie'>,
  { to, ...who }: { readonly email: string; readonly sessionId?: SessionId; readonly to: string },
): Promise<boolean> {
  const id = newId('sgn', now);
  const browserToken = randomBytes(TOKEN_BYTES).toString('base64url');
  const began = await signIns.begin({
    ...{ ...who, id, now, browserSha256: sha256(browserToken) },
    ...{ clientNetwork: clientNetwork(clientAddress), place: clientPlace(clientAddress) },
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

/** The cookie that keeps it is read up to 1,000 characters, and has 4 for 3 of these. */
const MAX_PATH_CHARS = 600;

/**
 * A path of an account's page, for a redirect; anything else, and what is too long to be kept, becomes the start. The address
 * is read as a browser reads it, and only then looked at: `/a/..//attacker.example` is another host.
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

/** By what a client is counted: its IPv4 address, or the /64 of its IPv6 address, since one household has all of that. */
export function clientNetwork(address: string): string {
  const bytes = bytesOf(address);
  if (!bytes) return 'unknown';
  return bytes.length === 4 ? bytes.join('.') : `${bytes.toString('hex', 0, IPV6_NETWORK_BYTES)}/64`;
}

const MAX_DEVICE_CHARS = 80;
const IPV4_PLACE_BYTES = 3;
const IPV6_PLACE_BYTES = 6;

/** A browser as people know it, such as `Firefox on Linux`: without versions, which change every month. */
export function deviceName(userAgent: string): string {
  if (userAgent === '') return 'an unknown browser';
  const parser = Bowser.getParser(userAgent);
  const browser = parser.getBrowserName() || 'an unknown browser';
  const system = parser.getOSName();
  return (system === '' ? browser : `${browser} on ${system}`).slice(0, MAX_DEVICE_CHARS);
}

/** Where a client is, as far as its address says it for longer than a day: the /24 of IPv4, the /48 of IPv6. */
export function clientPlace(address: string): string {
  const bytes = bytesOf(address);
  return bytes?.toString('hex', 0, bytes.length === 4 ? IPV4_PLACE_BYTES : IPV6_PLACE_BYTES) ?? 'unknown';
}

/** Four, or sixteen. A zone is no part of an address. */
function bytesOf(address: string): Buffer | undefined {
  const parsed = parseIpAddress(withoutMapping(address.replace(/%.*$/, '')));
  return parsed && Buffer.from(parsed.bytes);
}
