import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  commaSeparated,
  databaseUrl,
  decimal,
  describeSettings,
  durationListMs,
  durationMs,
  encryptionKey,
  flag,
  httpUrl,
  httpUrlList,
  ingestTokens,
  integer,
  logLevel,
  mailFrom,
  port,
  readSettings,
  redisUrl,
  SettingsError,
  type SettingsShape,
  timeoutMs,
} from './settings.js';

function mistakeOf(shape: SettingsShape, env: Record<string, string>): string {
  try {
    readSettings(shape, env);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
  throw new Error('the settings were accepted');
}

describe('readSettings', () => {
  test('every mistake is named in one sentence', () => {
    const message = mistakeOf(
      { DATABASE_URL: databaseUrl(), EGRESS_PROXY_URLS: httpUrlList(), API_PORT: port(), LOG_LEVEL: logLevel() },
      { EGRESS_PROXY_URLS: 'ftp://foo,http://proxy:8080,ftp://bar', API_PORT: '70000', LOG_LEVEL: 'loud' },
    );
    expect(message).toBe(
      'Settings are wrong: DATABASE_URL is missing; EGRESS_PROXY_URLS "ftp://foo" is not an http(s) address; ' +
        'EGRESS_PROXY_URLS "ftp://bar" is not an http(s) address; API_PORT "70000" is not a whole number from 0 to 65535; ' +
        'LOG_LEVEL "loud" is not one of debug, info, warn, error.',
    );
  });

  test('a variable set to nothing or to spaces counts as not set', () => {
    const shape = { CIDRS: commaSeparated().prefault(''), WAIT: durationMs().prefault('10s'), URL: httpUrl() };
    expect(mistakeOf(shape, { CIDRS: '', WAIT: ' ', URL: '' })).toBe('Settings are wrong: URL is missing.');
    expect(readSettings(shape, { CIDRS: '', WAIT: ' ', URL: 'http://a' })).toEqual({
      CIDRS: [],
      WAIT: 10_000,
      URL: 'http://a',
    });
  });

  test('what is optional may be left out', () => {
    expect(readSettings({ A: z.string().optional() }, {})).toEqual({ A: undefined });
  });

  test.each([
    [{ ENCRYPTION_KEY: encryptionKey() }, { ENCRYPTION_KEY: 'c2hvcnQ=' }],
    [{ INGEST_TOKEN: ingestTokens() }, { INGEST_TOKEN: 'hunter2' }],
    [{ DATABASE_URL: databaseUrl() }, { DATABASE_URL: 'mysql://user:hunter2@db' }],
    [{ DATABASE_URL: databaseUrl() }, { DATABASE_URL: 'user:hunter2@db' }],
    [{ DATABASE_URL: databaseUrl() }, { DATABASE_URL: 'db?password=hunter2' }],
    [{ DATABASE_URL: databaseUrl() }, { DATABASE_URL: 'hunter2' }],
    [{ EGRESS_PROXY_URLS: httpUrlList() }, { EGRESS_PROXY_URLS: 'http://u:hunter2,x@proxy' }],
  ])('a secret is never echoed (%#)', (shape, env) => {
    const message = mistakeOf(shape, env);
    for (const value of Object.values(env)) expect(message).not.toContain(value);
    expect(message).not.toMatch(/hunter2|c2hvcnQ/);
  });
});

test('a key that stands in this repository is accepted by the demo alone', () => {
  const shape = { ENCRYPTION_KEY: encryptionKey() };
  const key = 'b25seSBmb3IgdGhpcyBtYWNoaW5lLCAzMiBieXRlcyE=';
  for (const text of [key, key.replace('=', ''), ` ${key} `]) {
    expect(mistakeOf(shape, { ENCRYPTION_KEY: text })).toBe(
      'Settings are wrong: ENCRYPTION_KEY is the public one of the demo; make your own with: openssl rand -base64 32.',
    );
    expect(readSettings(shape, { ENCRYPTION_KEY: text, ARTIST_WATCH_DEMO: 'true' }).ENCRYPTION_KEY).toHaveLength(32);
  }
});

test('a token of ingest that could be guessed is refused, with the command that makes one', () => {
  expect(mistakeOf({ INGEST_TOKEN: ingestTokens() }, { INGEST_TOKEN: 'x'.repeat(31) })).toBe(
    'Settings are wrong: INGEST_TOKEN has fewer than 32 characters; make one with: openssl rand -hex 32.',
  );
  expect(readSettings({ INGEST_TOKEN: ingestTokens() }, { INGEST_TOKEN: 'x'.repeat(32) }).INGEST_TOKEN).toEqual([
    'x'.repeat(32),
  ]);
});

test.each(['x', 'the-ingest-token-of-the-public-demo'])(
  'no token beside another one may be guessed or public: %s',
  (token) => {
    expect(mistakeOf({ INGEST_TOKEN: ingestTokens() }, { INGEST_TOKEN: `${'x'.repeat(32)}, ${token}` })).toMatch(
      /^Settings are wrong: INGEST_TOKEN (has fewer than 32 characters|is the public one of the demo)/,
    );
  },
);

describe('kinds of settings', () => {
  const parse = <Value>(type: z.ZodType<Value>, text: string) => readSettings({ X: type }, { X: text }).X;

  test.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['1m', 60_000],
    ['2h', 7_200_000],
    ['1.5h', 5_400_000],
    ['24d', 2_073_600_000],
    ['0s', 0],
  ])('the duration %s is %d ms', (text, ms) => expect(parse(durationMs(), text)).toBe(ms));

  test('a timeout leaves time for an answer', () => {
    const shape = { WAIT: timeoutMs() };
    expect(readSettings(shape, { WAIT: '100ms' })).toEqual({ WAIT: 100 });
    expect(() => readSettings(shape, { WAIT: '0s' })).toThrow('WAIT "0s" is less than 100ms');
  });

  test.each(['10', '10 s', '-1s', '1w', 's', '1m30s', '25d', '1e3s', '0x1s'])('%s is no duration', (text) =>
    expect(() => parse(durationMs(), text)).toThrow('is not a duration'),
  );

  test('a list of durations keeps its order', () =>
    expect(parse(durationListMs(), '1m,5m, 30m,2h,6h')).toEqual([60_000, 300_000, 1_800_000, 7_200_000, 21_600_000]));

  test('a list of commas alone is refused', () => expect(() => parse(durationListMs(), ',,')).toThrow('empty list'));

  test('port 0 asks for any free one', () => expect(parse(port(), '0')).toBe(0));

  test.each(['-1', '65536', '80.5', '0x50', '1e3', ' 8 0 '])('%s is no port', (text) =>
    expect(() => parse(port(), text)).toThrow('is not a whole number'),
  );

  test('numbers and flags', () => {
    expect(parse(integer({ min: -5, max: 5 }), '-5')).toBe(-5);
    expect(parse(decimal({ min: 0, max: 1 }), '0.25')).toBe(0.25);
    expect(parse(flag(), 'false')).toBe(false);
    expect(() => parse(flag(), 'yes')).toThrow('X "yes" is not one of true, false');
  });

  test('a key of 32 bytes is read from base64, padded or not', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    expect(parse(encryptionKey(), bytes.toString('base64'))).toEqual(bytes);
    expect(parse(encryptionKey(), bytes.toString('base64').replace('=', ''))).toEqual(bytes);
    expect(() => parse(encryptionKey(), bytes.toString('hex'))).toThrow('is not 32 bytes in base64');
    expect(() => parse(encryptionKey(), '!'.repeat(43))).toThrow('is not 32 bytes in base64');
  });

  describe('an address with a % that encodes nothing is reported by its setting and without its password', () => {
    const types = { REDIS_URL: redisUrl(), EGRESS_PROXY_URLS: httpUrlList() };
    test.each([
      ['REDIS_URL', 'redis://:hunter2%@cache:6379'],
      ['REDIS_URL', 'rediss://hunter2%zz:x@cache'],
      ['EGRESS_PROXY_URLS', 'http://u:hunter2%@proxy:3128'],
    ] as const)('%s (%#)', (name, text) => {
      const message = mistakeOf({ [name]: types[name] }, { [name]: text });
      expect(message).toBe(
        `Settings are wrong: ${name} has a % in its user or password that encodes nothing (% itself is written %25).`,
      );
    });

    test('and one that is encoded is taken', () =>
      expect(parse(redisUrl(), 'redis://:50%25%C3%A9@cache:6379')).toBe('redis://:50%25%C3%A9@cache:6379'));

    test('the driver of PostgreSQL takes it as it is', () =>
      expect(parse(databaseUrl(), 'postgres://u:50%off@db/x')).toBe('postgres://u:50%off@db/x'));
  });

  test.each([
    ['postgres://a,b/x', 'X "postgres://a,b/x" names several hosts, of which only one may be given'],
    ['postgres://a:5432,b:5432/x', 'names several hosts, of which only one may be given'],
    ['postgres://u:a,b@c:1,d:2/x?target_session_attrs=read-write', 'X names several hosts'],
    ['postgres:///x?host=/run/postgresql', 'names no host (a Unix socket is postgres://%2Frun%2Fpostgresql/…)'],
    ['postgres://u:p@/x?host=/run/postgresql', 'X names no host (a Unix socket'],
    ['postgresql://', 'names no host'],
    ['postgres://db:port/x', 'X "postgres://db:port/x" is not a postgres:// address'],
    ['mysql://a,b/x', 'is not a postgres:// address'],
    ['postgres:x', 'is not a postgres:// address'],
  ])('what is wrong with %s is said', (text, sentence) => expect(() => parse(databaseUrl(), text)).toThrow(sentence));

  test.each([
    'postgres://u:a,b@c/x',
    'postgresql://%2Frun%2Fpostgresql/x',
    'postgres://[::1]:5432/x?sslmode=verify-full',
  ])('%s is an address of PostgreSQL', (text) => expect(parse(databaseUrl(), text)).toBe(text));

  test('a sender of emails is an address whose part before the @ is ASCII, as SMTPUTF8 is not common', () => {
    for (const text of ['mail@label.example', 'Künstler <mail+a@münchén.example>']) {
      expect(parse(mailFrom(), text)).toBe(text);
    }
    for (const text of ['künstler@label.example', 'Artist Watch <künstler@label.example>', 'a@b@c.example']) {
      expect(() => parse(mailFrom(), text)).toThrow('in ASCII before the @');
    }
  });

  test.each(['ftp://a', 'a.example', 'http://', '//a'])('%s is no http address', (text) =>
    expect(() => parse(httpUrl(), text)).toThrow('is not an http(s) address'),
  );
});

test('a description of settings hides secrets and strips addresses', () => {
  expect(
    describeSettings({
      DATABASE_URL: 'postgres://user:hunter2@db:5432/artist_watch?sslpassword=x',
      EGRESS_PROXY_URLS: ['http://u:p@proxy-a:3128', 'http://proxy-b:3128'],
      INGEST_TOKEN: 'abc',
      ENCRYPTION_KEY: Buffer.alloc(32),
      ENCRYPTION_KEYS_RETIRED: ['b25seSBmb3IgdGhpcyBtYWNoaW5lLCAzMiBieXRlcyE='],
      REDIS_KEY_PREFIX: 'artist-watch',
      WEBHOOK_TIMEOUT: 10_000,
      LISTEN_HOST: undefined,
    }),
  ).toEqual({
    DATABASE_URL: 'postgres://db:5432/artist_watch',
    EGRESS_PROXY_URLS: ['http://proxy-a:3128/', 'http://proxy-b:3128/'],
    INGEST_TOKEN: '(hidden)',
    ENCRYPTION_KEY: '(hidden)',
    ENCRYPTION_KEYS_RETIRED: '(hidden)',
    REDIS_KEY_PREFIX: 'artist-watch',
    WEBHOOK_TIMEOUT: 10_000,
    LISTEN_HOST: undefined,
  });
});
