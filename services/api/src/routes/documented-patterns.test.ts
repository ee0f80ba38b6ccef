import { checkDestinationUrl } from '@artist-watch/address-policy/judge-destination';
import { openApiDocument } from '@artist-watch/contracts/openapi/document';
import type { Platform } from '@artist-watch/domain/catalogue';
import { readChatAddress } from '@artist-watch/domain/channel/destination-kind';
import { isUsableSigningSecret } from '@artist-watch/domain/delivery/webhook-options';
import { normaliseIsrc } from '@artist-watch/domain/platform/platform-id';
import { parseTrackInput } from '@artist-watch/track-lookup/track-lookup';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createCursorSeal } from '../application/list-page.js';
import { artistOf } from './artists/artists.js';

type Schema = { readonly pattern: string };
interface Conditional {
  readonly if: { readonly properties: { readonly kind: { readonly const: string } } };
  readonly then: { readonly properties: { readonly url: Schema } };
  readonly else?: Conditional;
}
type Documented = { readonly properties: Record<string, Schema> };

function patternOf(platform: Platform, schema: string, property: string): RegExp {
  const schemas = (openApiDocument(platform).components?.schemas ?? {}) as Record<string, Documented>;
  return new RegExp(schemas[schema]?.properties[property]?.pattern ?? '$^');
}

/** Clients may generate requests from the documented patterns. */
describe.each(['deezer', 'spotify'] as const)('documented patterns on %s', (platform) => {
  const { paths } = openApiDocument(platform);

  test.each<[string, string, (text: string) => unknown]>([
    ['WatchArtist', 'platform_id', (text) => artistOf({ platform_id: text }, platform)],
    ['WatchArtist', 'url', (text) => artistOf({ url: text }, platform)],
    ['LookupRequest', 'input', (text) => parseTrackInput(text, platform)],
    ['ReverseRequest', 'isrc', (text) => expect(normaliseIsrc(text)).not.toBeNull()],
    ['CreateDestination', 'secret', (text) => expect(text === 'generate' || isUsableSigningSecret(text)).toBe(true)],
    ['CreateDestination', 'url', (text) => expect(checkDestinationUrl(text, [])).toMatchObject({ ok: true })],
  ])('every text that matches the pattern of %s.%s is accepted', (schema, property, accept) => {
    const ofForm = fc.stringMatching(patternOf(platform, schema, property)).filter((text) => text.length <= 2_048);
    fc.assert(
      fc.property(ofForm, (text) => {
        // A pattern cannot rule out host names longer than 253 characters or with an invalid `xn--` label.
        const [, host = ''] = /^\w+:\/\/([^/?#:]*)/.exec(text) ?? [];
        fc.pre(host.length <= 253 && !/(?:^|\.)xn--/i.test(host));
        accept(text);
      }),
    );
  });

  test.each([
    ['url', 'HTTPS://Receiver.example:8443/a?b=c#d'],
    ['secret', 'a secret of my own'],
  ])('the documented pattern matches a typical %s', (property, text) => {
    expect(text).toMatch(patternOf(platform, 'CreateDestination', property));
  });

  test('the documented pattern matches every cursor', () => {
    const [cursor] = (paths?.['/changes']?.get?.parameters ?? []).filter(
      (one) => 'name' in one && one.name === 'cursor',
    );
    const { pattern, minLength, maxLength } = (cursor as { schema: Schema & Record<'minLength' | 'maxLength', number> })
      .schema;
    const written = createCursorSeal(new Uint8Array(32)).close('changes:acc_1', [0, 0, `chg_${'0'.repeat(32)}`]);
    expect(written).toMatch(new RegExp(pattern));
    expect(written.length).toBeGreaterThanOrEqual(minLength);
    expect(written.length).toBeLessThanOrEqual(maxLength);
  });
});

test.each(['slack', 'discord'] as const)(
  'a %s destination accepts every URL that matches the documented pattern',
  (kind) => {
    const schemas = (openApiDocument().components?.schemas ?? {}) as unknown as Record<string, Conditional>;
    const schema = schemas.CreateDestination;
    const form = schema?.if.properties.kind.const === kind ? schema : schema?.else;
    expect(form?.if.properties.kind.const).toBe(kind);
    const ofForm = fc.stringMatching(new RegExp(form?.then.properties.url.pattern ?? '$^'));
    fc.assert(fc.property(ofForm, (text) => expect(readChatAddress(kind, text)).toMatchObject({ isPlatform: true })));
  },
);

test.each([
  ['deezer', 'https://www.deezer.com/us/track/100001001?utm=1', 'WWW.DEEZER.COM/track/27'],
  ['deezer', 'deezer.com/intl-fr/embed/track/1/', 'http://www.deezer.com:80/track/27'],
  ['spotify', 'spotify:track:4tZwfgrHOc3mvqYlEYSvVi', 'https://open.spotify.com/intl-de/track/4tZwfgrHOc3mvqYlEYSvVi'],
] as const)(
  '%s URLs in the formats that people usually copy match the documented pattern',
  (platform, ...addresses) => {
    for (const address of addresses) expect(address).toMatch(patternOf(platform, 'LookupRequest', 'input'));
  },
);
