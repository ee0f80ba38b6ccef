import { ApiError } from '@artist-watch/contracts/api/errors';
import type { Platform } from '@artist-watch/domain/catalogue';
import { HttpsProxyAgent } from 'hpagent';

/**
 * @returns undefined if the link has no target or its host is not allowed
 * @throws ApiError `upstream_…`
 */
export type FollowShortLink = (link: URL) => Promise<string | undefined>;

interface ShortLinksOptions {
  readonly platform: Platform;
  /** Used in rotation. */
  readonly proxyUrls: readonly string[];
  /** PEM certificates to use instead of the default ones. */
  readonly ca?: readonly string[] | undefined;
}

/**
 * spotify.link (run by Branch) sends a redirect to this user agent, but a web page to mobile browsers
 * (rinukkusu/spotify-dart, issue 154).
 */
const USER_AGENT = 'artist-watch/0.1 (like curl)';

const MAX_HOPS = 5;
const HOP_TIMEOUT_MS = 5_000;

/** Follows redirects through the egress proxies, and only on the hosts in SHORT_LINK_HOSTS. */
export function createShortLinks({ platform, proxyUrls, ca }: ShortLinksOptions) {
  const agents = proxyUrls.map(
    (proxy) => new HttpsProxyAgent({ proxy, keepAlive: true, maxSockets: 4, timeout: HOP_TIMEOUT_MS }),
  );
  let nextAgent = 0;

  async function readLocation(link: URL): Promise<string | undefined> {
    const agent = agents[nextAgent++ % agents.length];
    if (!agent) return refuseShortLinks();
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
        throw new ApiError('upstream_timeout', 'Resolving the short link took too long. Try again later.', {
          operatorText: String(error),
        });
      }
      if (!(error instanceof RequestError)) throw error;
      throw new ApiError('upstream_error', 'The short link could not be resolved.', {
        operatorText: `${link.host}: ${error.code}`,
      });
    }
  }

  return {
    async follow(link: URL): Promise<string | undefined> {
      let at = link;
      for (let hop = 0; hop < MAX_HOPS; hop += 1) {
        const location = await readLocation(at);
        if (location === undefined || !URL.canParse(location, at.href)) return undefined;
        const next = unwrapDestination(new URL(location, at));
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

/** link.deezer.com redirects to a page whose URL contains the target in `dest` (topi314/LavaSrc, pull request 324). */
function unwrapDestination(next: URL): URL | undefined {
  const dest = next.hostname === 'link.deezer.com' ? next.searchParams.get('dest') : null;
  if (dest === null) return next;
  return URL.canParse(dest) ? new URL(dest) : undefined;
}

/** Used instead of a resolver if there is no egress proxy. @throws ApiError `unsupported_url` */
export async function refuseShortLinks(): Promise<never> {
  throw new ApiError('unsupported_url', 'Short links are not supported here. Send the full URL.');
}

/** Short links are followed only on these hosts. */
const SHORT_LINK_HOSTS: Readonly<Record<Platform, readonly string[]>> = {
  deezer: ['link.deezer.com', 'deezer.page.link'],
  spotify: ['spotify.link', 'spotify.app.link', 'spoti.fi'],
};

/** Spotify's apps have shared short links on this host since 2026 (topi314/LavaSrc, pull request 346). */
const SHORT_PATH = { host: 'open.spotify.com', path: '/s/' };

const MAX_CHARS = 2_048;

const FORM = /^(?:https?:\/\/)?(?:www\.)?([a-z.]+)(?::(?:80|443))?(\/[A-Za-z0-9_\-/]+)(?:[?#].*)?$/i;

/** Returns an https URL without a query or fragment, or undefined if the text is not a short link. */
export function parseShortLink(text: string, platform: Platform): URL | undefined {
  const [, host, path] = (text.length <= MAX_CHARS && FORM.exec(text.trim())) || [];
  if (host === undefined || path === undefined) return undefined;
  const link = new URL(`https://${host.toLowerCase()}${path}`);
  return isShortLink(link, platform) ? link : undefined;
}

function isShortLink({ hostname, pathname }: URL, platform: Platform): boolean {
  if (SHORT_LINK_HOSTS[platform].includes(hostname)) return true;
  return platform === 'spotify' && hostname === SHORT_PATH.host && pathname.startsWith(SHORT_PATH.path);
}
