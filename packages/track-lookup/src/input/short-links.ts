import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Platform } from '@artist-watch/domain/catalogue';
import { HttpsProxyAgent } from 'hpagent';

/**
 * Follows a short link to where it leads, through the egress.
 *
 * @returns undefined when it leads nowhere that may be followed.
 * @throws ApiError `upstream_…`
 */
export type FollowShortLink = (link: URL) => Promise<string | undefined>;

export interface ShortLinksOptions {
  readonly platform: Platform;
  /** EGRESS_PROXY_URLS, used in turn; there is no direct connection. */
  readonly proxyUrls: readonly string[];
  /** PEM certificates to trust instead of the public ones. */
  readonly ca?: readonly string[] | undefined;
}

/**
 * Branch, which serves spotify.link, answers what may be a phone with a page in place of a redirect, and whoever says `curl`
 * with the address (rinukkusu/spotify-dart, issue 154).
 */
const USER_AGENT = 'artist-watch/0.1 (like curl)';

const MAX_HOPS = 5;
const HOP_TIMEOUT_MS = 5_000;

/**
 * Follows short links through the egress proxies, one redirect at a time, and only over hosts of the fixed list. Of an
 * answer the status and `Location` count; no body is read.
 */
export function createShortLinks({ platform, proxyUrls, ca }: ShortLinksOptions) {
  const agents = proxyUrls.map(
    (proxy) => new HttpsProxyAgent({ proxy, keepAlive: true, maxSockets: 4, timeout: HOP_TIMEOUT_MS }),
  );
  let turn = 0;

  async function locationOf(link: URL): Promise<string | undefined> {
    const agent = agents[turn++ % agents.length];
    if (!agent) return refuseShortLinks();
    // Loaded when somebody sends a short link.
    const { default: got, RequestError, TimeoutError } = await import('got');
    const signal = AbortSignal.timeout(HOP_TIMEOUT_MS);
    try {
      const { headers } = await got(link, {
        method: 'HEAD',
        headers: { 'user-agent': USER_AGENT },
        agent: { https: agent },
        signal,
        retry: { limit: 0 },
        followRedirect: false,
        throwHttpErrors: false,
        ...(ca && { https: { certificateAuthority: [...ca] } }),
      });
      return headers.location;
    } catch (error) {
      if (signal.aborted || error instanceof TimeoutError) {
        throw new ApiError('upstream_timeout', 'The short link was not answered in time.', {
          operatorText: String(error),
        });
      }
      if (!(error instanceof RequestError)) throw error;
      throw new ApiError('upstream_error', 'The short link could not be followed.', {
        operatorText: `${link.host}: ${error.code}`,
      });
    }
  }

  return {
    async follow(link: URL): Promise<string | undefined> {
      let at = link;
      for (let hop = 0; hop < MAX_HOPS; hop += 1) {
        const location = await locationOf(at);
        if (location === undefined || !URL.canParse(location, at.href)) return undefined;
        const next = destinationOf(new URL(location, at));
        if (next === undefined) return undefined;
        if (!isShortLink(next, platform)) return next.href;
        if (next.protocol !== 'https:' || next.port !== '') return undefined;
        at = next;
      }
      return undefined;
    },
    close() {
      for (const agent of agents) agent.destroy();
    },
  };
}

/**
 * link.deezer.com redirects to a page of its own, whose `dest` is where the link leads (topi314/LavaSrc, pull request 324).
 * Undefined for a `dest` that is no address.
 */
function destinationOf(next: URL): URL | undefined {
  const dest = next.hostname === 'link.deezer.com' ? next.searchParams.get('dest') : null;
  if (dest === null) return next;
  return URL.canParse(dest) ? new URL(dest) : undefined;
}

/** Where there is no egress. @throws ApiError `unsupported_url` */
export async function refuseShortLinks(): Promise<never> {
  throw new ApiError('unsupported_url', 'Short links cannot be followed here; send the full address.');
}

/** Hosts whose links say nothing by themselves, and only lead on. Whatever stands elsewhere is never asked. */
const SHORT_LINK_HOSTS: Readonly<Record<Platform, readonly string[]>> = {
  deezer: ['link.deezer.com', 'deezer.page.link'],
  spotify: ['spotify.link', 'spotify.app.link', 'spoti.fi'],
};

/** What the apps of Spotify share since 2026: a short link on the host of the full addresses (topi314/LavaSrc, pull request 346). */
const SHORT_PATH = { host: 'open.spotify.com', path: '/s/' };

const MAX_CHARS = 2_048;

/** Scheme or none, one of the hosts, a default port or none, and a path of plain characters. */
const FORM = /^(?:https?:\/\/)?(?:www\.)?([a-z.]+)(?::(?:80|443))?(\/[A-Za-z0-9_\-/]+)(?:[?#].*)?$/i;

/** A short link of the platform in use, over https; undefined for everything else. Query and fragment are left out. */
export function parseShortLink(text: string, platform: Platform): URL | undefined {
  const [, host, path] = (text.length <= MAX_CHARS && FORM.exec(text.trim())) || [];
  if (host === undefined || path === undefined) return undefined;
  const link = new URL(`https://${host.toLowerCase()}${path}`);
  return isShortLink(link, platform) ? link : undefined;
}

/** Where a short link may lead on to without having arrived. */
function isShortLink({ hostname, pathname }: URL, platform: Platform): boolean {
  if (SHORT_LINK_HOSTS[platform].includes(hostname)) return true;
  return platform === 'spotify' && hostname === SHORT_PATH.host && pathname.startsWith(SHORT_PATH.path);
}
