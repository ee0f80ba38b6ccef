import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { redactFields, redactText } from './logger.js';

const KEY = 'aw_live_0123456789abcdefghijABCDEFGHIJ012345';
const DIGEST = '5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd';

const redact = (value: unknown) => redactFields({ value }).value;

describe('redaction by field name', () => {
  test.each([
    'secret',
    'signingSecret',
    'signing_secret',
    'nextSecrets',
    'password',
    'token',
    'ingestToken',
    'INGEST_TOKEN',
    'key',
    'apiKey',
    'api-key',
    'encryptionKey',
    'idempotencyKey',
    'signature',
    'X-Service-Signature',
    'authorization',
    'Proxy-Authorization',
    'cookie',
    'set-cookie',
    'credentials',
    'body',
    'responseBody',
    'rawBody',
    'payload',
  ])('%s is hidden, whether it is text, bytes or an object', (name) => {
    for (const value of ['hunter2', Buffer.from('hunter2'), { a: 'hunter2' }, ['hunter2']]) {
      expect(redactFields({ outer: { [name]: value }, [name]: value })).toEqual({
        outer: { [name]: '***' },
        [name]: '***',
      });
    }
  });

  test.each(['keyId', 'key_id', 'signed', 'bodyBytes', 'tokensLeft', 'secretRotatedAt', 'monkey', 'turnkey'])(
    '%s is shown',
    (name) => expect(redactFields({ [name]: 'x' })).toEqual({ [name]: 'x' }),
  );

  test('numbers, flags and empty values are shown', () => {
    expect(redactFields({ keys: 3, signature: null, secret: true, token: '', body: undefined })).toEqual({
      keys: 3,
      signature: null,
      secret: true,
      token: '',
    });
  });
});

describe('redaction by text pattern', () => {
  test.each([
    [`key ${KEY} revoked`, 'key aw_live_*** revoked'],
    [`t=1700000000,v1=${DIGEST}`, 't=1700000000,v1=***'],
    [`t=1,v1=${DIGEST.toUpperCase()},v1=${DIGEST}`, 't=1,v1=***,v1=***'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_***'],
    [`Authorization: Bearer ${KEY}`, 'Authorization: Bearer ***'],
    ['authorization: basic dXNlcjpodW50ZXIy', 'authorization: basic ***'],
    ['https://user:hunter2@example.com/hook', 'https://***@example.com/hook'],
    ['http://hunter2@proxy:3128', 'http://***@proxy:3128'],
    ['connect postgres://u:hun/ter2@db:5432/x failed', 'connect postgres://***@db:5432/x failed'],
    ['rediss://:hunter2@cache:6379', 'rediss://***@cache:6379'],
    ['redis+cluster://:hun/ter2@cache:6379', 'redis+cluster://***@cache:6379'],
    ['https://h.example/x?token=hunter2&a=1#f', 'https://h.example/x?token=***&a=1#f'],
    ['https://h.example/x?a=1&api_key=hunter2', 'https://h.example/x?a=1&api_key=***'],
  ])('"%s" is logged as "%s"', (text, shown) => expect(redactText(text)).toBe(shown));

  test.each(['https://h.example/@artist/x?a=1', 'v1=2', 'att_018f', 'artist@example.com', 'basically fine'])(
    '%s is shown unchanged',
    (text) => expect(redactText(text)).toBe(text),
  );

  test('a key or signature is hidden anywhere in a string', () => {
    const secret = fc.constantFrom(KEY, `t=1700000000,v1=${DIGEST}`, `https://u:${DIGEST}@h.example/`);
    const around = fc.string().map((text) => `${text} `);
    fc.assert(
      fc.property(around, secret, fc.string(), (before, middle, after) => {
        const shown = JSON.stringify(redact({ a: [{ note: `${before}${middle} ${after}` }] }));
        expect(shown).not.toContain(KEY.slice(8));
        expect(shown).not.toContain(DIGEST);
      }),
    );
  });
});

describe('values in a log line', () => {
  test('an error is logged with its message and causes, but without secrets or properties added by libraries', () => {
    const cause = Object.assign(new Error('connect postgres://u:hunter2@db'), { code: 'ECONNREFUSED' });
    const error = Object.assign(new Error(`bad key ${KEY}`, { cause }), {
      options: { headers: { authorization: 'x' } },
    });
    const shown = redact(error) as Record<string, Record<string, unknown>>;
    expect(shown.message).toBe('bad key aw_live_***');
    expect(shown.cause?.code).toBe('ECONNREFUSED');
    expect(shown.options).toBeUndefined();
    expect(JSON.stringify(shown)).not.toMatch(/hunter2|0123456789abc/);
  });

  test('the errors in an AggregateError are shown', () => {
    expect(redact(new AggregateError([new Error('a')], 'all'))).toMatchObject({ errors: [{ message: 'a' }] });
  });

  test('circular values, bytes, dates, URLs and big integers can be serialized', () => {
    const ring: Record<string, unknown> = { at: new Date(0), big: 10n, bytes: new Uint8Array(9) };
    ring.self = ring;
    ring.url = new URL('https://u:p@h.example/');
    ring.ids = new Set(['a']);
    const text = JSON.stringify(redact(ring));
    expect(text).toContain('"at":"1970-01-01T00:00:00.000Z","big":"10","bytes":"[9 bytes]"');
    expect(text).toContain('"url":"https://***@h.example/","ids":["a"]');
    expect(text).toContain('[deeper]');
  });

  test('a credential is hidden even if a long text is cut off in the middle of the credential', () => {
    const shown = redactText(`${'x'.repeat(4_080)} http://user:hunter2@proxy:3128/`);
    expect(shown).not.toContain('hunt');
  });

  test('a text with many possible starts of a URL is searched in linear time', () => {
    const text = `://${'a-'.repeat(32_000)}`;
    // If any pattern took quadratic time, each call would take seconds.
    for (let count = 0; count < 100; count += 1) expect(redactText(text)).toMatch(/^:\/\/a-/);
  });

  test('long texts and long lists are cut off', () => {
    expect((redact('x'.repeat(10_000)) as string).length).toBeLessThan(5_000);
    expect(redact(Array.from({ length: 60 }, () => 1))).toHaveLength(51);
  });
});
