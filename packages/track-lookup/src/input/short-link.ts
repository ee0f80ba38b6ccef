import type { Platform } from '@artist-watch/domain/catalogue';

/** Hosts whose links say nothing by themselves, and only lead on. Whatever stands elsewhere is never asked. */
const SHORT_LINK_HOSTS: Readonly<Record<Platform, readonly string[]>> = {
  deezer: ['link.deezer.com', 'deezer.page.link'],
  spotify: ['spotify.link', 'spotify.app.link', 'spoti.fi'],
};

const MAX_CHARS = 2_048;

/** Scheme or none, one of the hosts, a default port or none, and a path of plain characters. */
const FORM = /^(?:https?:\/\/)?(?:www\.)?([a-z.]+)(?::(?:80|443))?(\/[A-Za-z0-9_\-/]+)(?:[?#].*)?$/i;

/** A short link of the platform in use, over https; undefined for everything else. Query and fragment are left out. */
export function parseShortLink(text: string, platform: Platform): URL | undefined {
  const [, host, path] = (text.length <= MAX_CHARS && FORM.exec(text.trim())) || [];
  if (host === undefined || path === undefined || !isShortLinkHost(host.toLowerCase(), platform)) return undefined;
  return new URL(`https://${host.toLowerCase()}${path}`);
}

/** Where a short link may lead on to without having arrived. */
export function isShortLinkHost(host: string, platform: Platform): boolean {
  return SHORT_LINK_HOSTS[platform].includes(host);
}
