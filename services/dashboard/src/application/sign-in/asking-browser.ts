import { createHash, randomBytes } from 'node:crypto';
import { SIGN_IN_WINDOW_MS } from '@artist-watch/domain/account/sign-in-proofs';
import type { SessionId, SignInRequestId } from '@artist-watch/domain/ids';
import type { SignInStore } from '@artist-watch/persistence/sign-in/requests';
import { newId } from '@artist-watch/runtime/ids';
import type { Guest } from '../page.js';
import { clientNetwork, clientPlace } from './client.js';

/** What the browser keeps while it waits for a mail: which request is its own, and where it wanted to go. */
export interface WaitingBrowser {
  readonly id: SignInRequestId;
  readonly browserSha256: Uint8Array;
  /** A path of the dashboard. */
  readonly to: string;
}

const VALUE = /^(sgn_[0-9a-f]{32})\.([\w-]{43})\.([\w-]*)$/;

const TOKEN_BYTES = 32;

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
  setCookie('sign-in', waitingCookie(id, browserToken, to), SIGN_IN_WINDOW_MS / 1_000);
  return true;
}

/** @param browserToken 32 random bytes as base64url; only their hash is kept here. */
function waitingCookie(id: SignInRequestId, browserToken: string, to: string): string {
  return `${id}.${browserToken}.${Buffer.from(to).toString('base64url')}`;
}

export function parseWaitingCookie(value: string | undefined): WaitingBrowser | undefined {
  const [, id, token = '', to = ''] = VALUE.exec(value ?? '') ?? [];
  if (id === undefined) return undefined;
  return {
    id: id as SignInRequestId,
    browserSha256: sha256(token),
    to: pathWithin(Buffer.from(to, 'base64url').toString('utf8')),
  };
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * A path of an account's page, for a redirect; anything else becomes the start. The address is read as a browser reads
 * it, and only then looked at: `/a/..//attacker.example` is another host.
 */
export function pathWithin(to: string): string {
  const base = 'http://dashboard.invalid';
  if (!URL.canParse(to, base)) return '/';
  const { origin, pathname, search } = new URL(to, base);
  return origin === base && /^\/a\/acc_[0-9a-f]+(\/|$)/.test(pathname) ? `${pathname}${search}` : '/';
}
