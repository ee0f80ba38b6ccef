import type { Platform } from '@artist-watch/domain/catalogue';
import type { OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';

/** A pattern of JSON Schema has no flags, and DNS names and schemes have no letter case. */
const anyCase = (text: string) =>
  text.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`).replaceAll('.', '\\.');

const PORTS = { https: '(?::443)?', http: '(?::80)?', '': '(?::(?:443|80))?' };

/** Scheme or none, host, and a port that goes with the scheme. */
const origin = (hostName: string) => {
  const host = `(?:${anyCase('www.')})?${anyCase(hostName)}`;
  const forms = Object.entries(PORTS).map(([scheme, port]) => `${scheme && `${anyCase(scheme)}://`}${host}${port}`);
  return `(?:${forms.join('|')})`;
};

/** Printable ASCII without the backslash. */
const QUERY_AND_FRAGMENT = '(?:[?#][!-\\[\\]-~]*)?';

const FORMS: Readonly<Record<Platform, { id: string; host: string; locale: string; uri?: string }>> = {
  deezer: {
    id: '[0-9]{1,20}',
    host: 'deezer.com',
    locale: '(?:[Ii][Nn][Tt][Ll]-)?[A-Za-z]{2}/',
  },
  spotify: {
    id: '[0-9A-Za-z]{22}',
    host: 'open.spotify.com',
    locale: '[Ii][Nn][Tt][Ll]-[A-Za-z]{2}/',
    uri: anyCase('spotify'),
  },
};

/**
 * What an artist's or a track's address looks like, for the description of the API; `domain/platform` decides. Short links
 * are left out: their form says nothing of what they lead to.
 */
function addressPattern(platform: Platform, entity: 'artist' | 'track'): string {
  const { id, host, locale, uri } = FORMS[platform];
  const prefixes = `(?:(?:${locale})?(?:embed/)?|embed/${locale})`;
  const forms = [`${origin(host)}/${prefixes}${entity}/${id}/?${QUERY_AND_FRAGMENT}`];
  if (uri) forms.push(`${uri}:${entity}:${id}${QUERY_AND_FRAGMENT}`);
  return `^(?:${forms.join('|')})$`;
}

/** What only the platform in use takes: an installation that watches another one shows other patterns. */
export function addPlatformPatterns({ components }: OpenAPIObject, platform: Platform): void {
  const schemas = (components?.schemas ?? {}) as Record<string, SchemaObject>;
  const setPattern = (schema: string, property: string, pattern: string) => {
    Object.assign(schemas[schema]?.properties?.[property] as SchemaObject, { pattern });
  };
  setPattern('WatchArtist', 'platform_id', `^${FORMS[platform].id}$`);
  setPattern('WatchArtist', 'url', addressPattern(platform, 'artist'));
  setPattern('LookupRequest', 'input', addressPattern(platform, 'track'));
}
