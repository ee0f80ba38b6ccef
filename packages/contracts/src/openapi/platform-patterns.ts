import type { Platform } from '@artist-watch/domain/catalogue';
import { addressPattern } from '@artist-watch/domain/platform/platform-address';
import { PLATFORM_ID_PATTERNS } from '@artist-watch/domain/platform/platform-id';
import type { OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';

/** What only the platform in use takes: an installation that watches another one shows other patterns. */
export function addPlatformPatterns({ components }: OpenAPIObject, platform: Platform): void {
  const schemas = (components?.schemas ?? {}) as Record<string, SchemaObject>;
  const setPattern = (schema: string, property: string, pattern: string) => {
    Object.assign(schemas[schema]?.properties?.[property] as SchemaObject, { pattern });
  };
  setPattern('WatchArtist', 'platform_id', `^${PLATFORM_ID_PATTERNS[platform]}$`);
  setPattern('WatchArtist', 'url', addressPattern(platform, 'artist'));
  setPattern('LookupRequest', 'input', addressPattern(platform, 'track'));
}
