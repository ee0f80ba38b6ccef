import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  apiUrl,
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
  smtpUrl,
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
  test('all mistakes in the settings are reported in one sentence', () => {
    const message = mistakeOf(
      { DATABASE_URL: databaseUrl(), EGRESS_PROXY_URLS: httpUrlList(), API_PORT: port(), LOG_LEVEL: logLevel() },
      { EGRESS_PROXY_URLS: 'ftp://foo,http://proxy:8080,ftp://bar', API_PORT: '70000', LOG_LEVEL: 'loud' },
    );
    expect(message).toBe(
      'Invalid settings: DATABASE_URL is missing; EGRESS_PROXY_URLS "ftp://foo" is not an http:// or https:// URL; ' +
        'EGRESS_PROXY_URLS "ftp://bar" is not an http:// or https:// URL; API_PORT "70000" is not a whole number from 0 to 65535; ' +
        'LOG_LEVEL "loud" is not one of debug, info, warn, error.',
    );
  });

  test('an empty or blank variable counts as unset', () => {
    const shape = { CIDRS: commaSeparated().prefault(''), WAIT: durationMs().prefault('10s'), URL: httpUrl() };
    expect(mistakeOf(shape, { CIDRS: '', WAIT: ' ', URL: '' })).toBe('Invalid settings: URL is missing.');
    expect(readSettings(shape, { CIDRS: '', WAIT: ' ', URL: 'http://a' })).toEqual({
      CIDRS: [],
      WAIT: 10_000,
      URL: 'http://a',
    });
  });

  test('an optional setting may be omitted', () => {
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
  ])('an error message never contains a secret (%#)', (shape, env) => {
    const message = mistakeOf(shape, env);
    for (const value of Object.values(env)) expect(message).not.toContain(value);
    expect(message).not.toMatch(/hunter2|c2hvcnQ/);
  });
});

test('only the demo accepts the key published in this repository', () => {
  const shape = { ENCRYPTION_KEY: encryptionKey() };
  const key = 'b25seSBmb3IgdGhpcyBtYWNoaW5lLCAzMiBieXRlcyE=';
  for (const text of [key, key.replace('=', ''), ` ${key} `]) {
    expect(mistakeOf(shape, { ENCRYPTION_KEY: text })).toBe(
      'Invalid settings: ENCRYPTION_KEY is the public demo value; create your own with: openssl rand -base64 32.',
    );
    expect(readSettings(shape, { ENCRYPTION_KEY: text, ARTIST_WATCH_DEMO: 'true' }).ENCRYPTION_KEY).toHaveLength(32);
  }
});

test('example hosts are rejected except in the demo, because emails and sign-ins would not work with them', () => {
  const shape = { MAIL_FROM: mailFrom(), DASHBOARD_URL: httpUrl(), SMTP_URL: smtpUrl() };
  const examples = {
    MAIL_FROM: 'Artist Watch <mail@artist-watch.example>',
    DASHBOARD_URL: 'https://dashboard.artist-watch.example',
    SMTP_URL: 'smtp://user:password@mail.example:587',
  };
  expect(mistakeOf(shape, examples)).toBe(
    'Invalid settings: MAIL_FROM contains an example host; replace it with your own; DASHBOARD_URL contains an example host; replace it with your own; ' +
      'SMTP_URL contains an example host; replace it with your own.',
  );
  expect(readSettings(shape, { ...examples, ARTIST_WATCH_DEMO: 'true' })).toEqual(examples);
  const own = { MAIL_FROM: 'mail@example-label.com', DASHBOARD_URL: 'https://x.examples', SMTP_URL: 'smtp://mail.com' };
  expect(readSettings(shape, own)).toEqual(own);
});

test("the API's public URL must end in /v1", () => {
  expect(mistakeOf({ API_PUBLIC_URL: apiUrl() }, { API_PUBLIC_URL: 'https://api.label.test/v1/' })).toBe(
    'Invalid settings: API_PUBLIC_URL "https://api.label.test/v1/" does not end in /v1.',
  );
});

test('an ingest token that is easy to guess is rejected, and the message contains a command that creates a better one', () => {
  expect(mistakeOf({ INGEST_TOKEN: ingestTokens() }, { INGEST_TOKEN: 'x'.repeat(31) })).toBe(
    'Invalid settings: INGEST_TOKEN has fewer than 32 characters; create one with: openssl rand -hex 32.',
  );
  expect(readSettings({ INGEST_TOKEN: ingestTokens() }, { INGEST_TOKEN: 'x'.repeat(32) }).INGEST_TOKEN).toEqual([
    'x'.repeat(32),
  ]);
});

test.each(['x', 'the-ingest-token-of-the-public-demo'])('every ingest token in a list is checked: %s', (token) => {
  expect(mistakeOf({ INGEST_TOKEN: ingestTokens() }, { INGEST_TOKEN: `${'x'.repeat(32)}, ${token}` })).toMatch(
    /^Invalid settings: INGEST_TOKEN (has fewer than 32 characters|is the public demo value)/,
  );
});

describe('setting types', () => {
  const parse = <Value>(type: z.ZodType<Value>, text: string) => readSettings({ X: type }, { X: text }).X;

  test.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['1m', 60_000],
    ['2h', 7_200_000],
    ['1.5h', 5_400_000],
    ['24d', 2_073_600_000],
    ['0s', 0],
  ])('the duration %s is parsed as %d ms', (text, ms) => expect(parse(durationMs(), text)).toBe(ms));

  test('a timeout below 100 ms is rejected', () => {
    const shape = { WAIT: timeoutMs() };
    expect(readSettings(shape, { WAIT: '100ms' })).toEqual({ WAIT: 100 });
    expect(() => readSettings(shape, { WAIT: '0s' })).toThrow('WAIT "0s" is less than 100ms');
  });

  test.each(['10', '10 s', '-1s', '1w', 's', '1m30s', '25d', '1e3s', '0x1s'])('%s is not a duration', (text) =>
    expect(() => parse(durationMs(), text)).toThrow('is not a duration'),
  );

  test('a list of durations keeps its order', () =>
    expect(parse(durationListMs(), '1m,5m, 30m,2h,6h')).toEqual([60_000, 300_000, 1_800_000, 7_200_000, 21_600_000]));

  test('a list of durations that contains only commas is rejected', () =>
    expect(() => parse(durationListMs(), ',,')).toThrow('empty list'));

  test('port 0 (any free port) is accepted', () => expect(parse(port(), '0')).toBe(0));

  test.each(['-1', '65536', '80.5', '0x50', '1e3', ' 8 0 '])('%s is not a port', (text) =>
    expect(() => parse(port(), text)).toThrow('is not a whole number'),
  );

  test('settings that are numbers or flags are parsed', () => {
    expect(parse(integer({ min: -5, max: 5 }), '-5')).toBe(-5);
    expect(parse(decimal({ min: 0, max: 1 }), '0.25')).toBe(0.25);
    expect(parse(flag(), 'false')).toBe(false);
    expect(() => parse(flag(), 'yes')).toThrow('X "yes" is not one of true, false');
  });

  test('a key of 32 bytes in base64 is accepted with and without padding', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    expect(parse(encryptionKey(), bytes.toString('base64'))).toEqual(bytes);
    expect(parse(encryptionKey(), bytes.toString('base64').replace('=', ''))).toEqual(bytes);
    expect(() => parse(encryptionKey(), bytes.toString('hex'))).toThrow('is not 32 bytes in base64');
    expect(() => parse(encryptionKey(), '!'.repeat(43))).toThrow('is not 32 bytes in base64');
  });

  describe('URL percent-encoding', () => {
    const types = { REDIS_URL: redisUrl(), EGRESS_PROXY_URLS: httpUrlList() };
    test.each([
      ['REDIS_URL', 'redis://:hunter2%@cache:6379'],
      ['REDIS_URL', 'rediss://hunter2%zz:x@cache'],
      ['EGRESS_PROXY_URLS', 'http://u:hunter2%@proxy:3128'],
    ] as const)('invalid percent-encoding in %s is reported without the password (%#)', (name, text) => {
      const message = mistakeOf({ [name]: types[name] }, { [name]: text });
      expect(message).toBe(
        `Invalid settings: ${name} has an invalid % encoding in its user or password (write % as %25).`,
      );
    });

    test('valid percent-encoding in a URL is accepted', () =>
      expect(parse(redisUrl(), 'redis://:50%25%C3%A9@cache:6379')).toBe('redis://:50%25%C3%A9@cache:6379'));

    test('the percent-encoding of a PostgreSQL URL is not checked, because the driver accepts any encoding', () =>
      expect(parse(databaseUrl(), 'postgres://u:50%off@db/x')).toBe('postgres://u:50%off@db/x'));
  });

  test.each([
    ['postgres://a,b/x', 'X "postgres://a,b/x" has several hosts, but only one is supported'],
    ['postgres://a:5432,b:5432/x', 'has several hosts, but only one is supported'],
    ['postgres://u:a,b@c:1,d:2/x?target_session_attrs=read-write', 'X has several hosts'],
    ['postgres:///x?host=/run/postgresql', 'has no host (for a Unix socket, write postgres://%2Frun%2Fpostgresql/…)'],
    ['postgres://u:p@/x?host=/run/postgresql', 'X has no host (for a Unix socket'],
    ['postgresql://', 'has no host'],
    ['postgres://db:port/x', 'X "postgres://db:port/x" is not a postgres:// URL'],
    ['mysql://a,b/x', 'is not a postgres:// URL'],
    ['postgres:x', 'is not a postgres:// URL'],
  ])('the URL %s is rejected, and the message contains the reason', (text, sentence) =>
    expect(() => parse(databaseUrl(), text)).toThrow(sentence),
  );

  test.each([
    'postgres://u:a,b@c/x',
    'postgresql://%2Frun%2Fpostgresql/x',
    'postgres://[::1]:5432/x?sslmode=verify-full',
  ])('%s is a PostgreSQL URL', (text) => expect(parse(databaseUrl(), text)).toBe(text));

  test('the sender address may have only ASCII characters before the @, because few servers support SMTPUTF8', () => {
    for (const text of ['mail@label.example', 'Künstler <mail+a@münchén.example>']) {
      expect(parse(mailFrom(), text)).toBe(text);
    }
    for (const text of ['künstler@label.example', 'Artist Watch <künstler@label.example>', 'a@b@c.example']) {
      expect(() => parse(mailFrom(), text)).toThrow('only ASCII characters before the @');
    }
  });

  test.each(['ftp://a', 'a.example', 'http://', '//a'])('%s is not an http URL', (text) =>
    expect(() => parse(httpUrl(), text)).toThrow('is not an http:// or https:// URL'),
  );
});

test('the summary of the settings hides secrets, shows CIDR ranges as text and removes the user, password and query from URLs', () => {
  expect(
    describeSettings({
      DATABASE_URL: 'postgres://user:hunter2@db:5432/artist_watch?sslpassword=x',
      EGRESS_PROXY_URLS: ['http://u:p@proxy-a:3128', 'http://proxy-b:3128'],
      INGEST_TOKEN: 'abc',
      ENCRYPTION_KEY: Buffer.alloc(32),
      ENCRYPTION_KEYS_RETIRED: ['b25seSBmb3IgdGhpcyBtYWNoaW5lLCAzMiBieXRlcyE='],
      REDIS_KEY_PREFIX: 'artist-watch',
      EGRESS_ALLOW_CIDRS: [{ network: { text: '10.0.0.0', family: 4, bytes: [10, 0, 0, 0] }, prefixBits: 8 }],
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
    EGRESS_ALLOW_CIDRS: ['10.0.0.0/8'],
    WEBHOOK_TIMEOUT: 10_000,
    LISTEN_HOST: undefined,
  });
});
