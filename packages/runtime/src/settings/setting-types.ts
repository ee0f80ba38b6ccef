import { z } from 'zod';

/** Returns undefined if the URL is valid, otherwise the end of the sentence `NAME "text" …`. */
type UrlCheck = (text: string) => string | undefined;

const checkHttpUrl = protocolCheck(['http:', 'https:'], 'is not an http:// or https:// URL');
const checkSmtpUrl = protocolCheck(['smtp:', 'smtps:'], 'is not an smtp:// or smtps:// URL');
const checkRedisUrl = protocolCheck(['redis:', 'rediss:'], 'is not a redis:// or rediss:// URL');

function protocolCheck(protocols: readonly string[], problem: string): UrlCheck {
  return (text) => {
    if (!hasProtocol(text, protocols)) return problem;
    const { username, password } = new URL(text);
    if (isDecodable(username) && isDecodable(password)) return undefined;
    return 'has an invalid % encoding in its user or password (write % as %25)';
  };
}

/** Unlike libpq, the driver supports only one host and accepts invalid percent-encoding. */
function checkDatabaseUrl(text: string): string | undefined {
  const authority = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(text)?.[1];
  const hosts = authority?.slice(authority.lastIndexOf('@') + 1);
  if (hosts === '') return 'has no host (for a Unix socket, write postgres://%2Frun%2Fpostgresql/…)';
  if (hosts?.includes(',')) return 'has several hosts, but only one is supported';
  return hasProtocol(text, ['postgres:', 'postgresql:']) ? undefined : 'is not a postgres:// URL';
}

function hasProtocol(text: string, protocols: readonly string[]): boolean {
  try {
    const url = new URL(text);
    return protocols.includes(url.protocol) && url.hostname !== '';
  } catch {
    return false;
  }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Error messages complete the sentence `NAME "text" …`. */

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** setTimeout fires immediately above 2^31 - 1 ms (24.8 days). */
const LONGEST_MS = 24 * UNIT_MS.d;

function parseDurationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (!match) return undefined;
  const durationMs = Math.round(Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]);
  return durationMs <= LONGEST_MS ? durationMs : undefined;
}

const NOT_A_DURATION = 'is not a duration such as 500ms, 10s, 1m or 2h (at most 24d)';

/** Parses a duration such as `500ms`, `10s` or `1.5h` to milliseconds. The maximum is 24 days. */
export function durationMs(): z.ZodType<number, string> {
  return z.string().transform((text, context) => {
    const parsed = parseDurationMs(text);
    return parsed ?? refuse(context, NOT_A_DURATION);
  });
}

/** The minimum is 100 ms, because almost every request would exceed a shorter timeout. */
export function timeoutMs(): z.ZodType<number, string> {
  return durationMs().refine((durationMs) => durationMs >= 100, 'is less than 100ms');
}

export function durationListMs(): z.ZodType<number[], string> {
  return listOf((part) => parseDurationMs(part), NOT_A_DURATION);
}

/** 0: any free port. */
export function port(): z.ZodType<number, string> {
  return integer({ min: 0, max: 65_535 });
}

export function integer({ min, max }: { readonly min: number; readonly max: number }): z.ZodType<number, string> {
  return z.string().transform((text, context) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : refuse(context, `is not a whole number from ${min} to ${max}`);
  });
}

export const DATABASE_POOL_SIZES = { api: 10, 'change-ingest': 12, 'webhook-worker': 8, dashboard: 10 } as const;

/** The minimum is 2, because api and dashboard use separate connections for reads and writes. */
export function databasePoolSize(): z.ZodType<number, string> {
  return integer({ min: 2, max: 500 });
}

export function decimal({ min, max }: { readonly min: number; readonly max: number }): z.ZodType<number, string> {
  return z.string().transform((text, context) => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : refuse(context, `is not a number from ${min} to ${max}`);
  });
}

export function flag(): z.ZodType<boolean, string> {
  return z.enum(['true', 'false']).transform((text) => text === 'true');
}

export function commaSeparated(): z.ZodType<string[], string> {
  return z.string().transform(splitList);
}

/**
 * A comma-separated list with at least one part.
 * @param parse returns undefined for an invalid part.
 */
export function listOf<Part>(
  parse: (part: string) => Part | undefined,
  message: string | ((part: string) => string),
): z.ZodType<Part[], string> {
  return z.string().transform((text, context) => {
    const parts = splitList(text);
    if (parts.length === 0) return refuse(context, 'is an empty list');
    const parsed: Part[] = [];
    for (const part of parts) {
      const value = parse(part);
      if (value === undefined) refuse(context, typeof message === 'string' ? message : message(part), part);
      else parsed.push(value);
    }
    return parsed;
  });
}

export function httpUrl(): z.ZodType<string, string> {
  return url(checkHttpUrl);
}

/** Returns a URL. An email address becomes a `mailto:` URL. */
export function linkOrEmail() {
  return z
    .string()
    .transform((text) => (text.includes('@') && !/^(https?|mailto):/.test(text) ? `mailto:${text}` : text))
    .refine((text) => /^(https?:\/\/|mailto:.+@)/.test(text) && URL.canParse(text), 'is not a URL or an email address');
}

/** The base URL of the API, as customers use it. */
export function apiUrl(): z.ZodType<string, string> {
  return httpUrl().refine((url) => url.endsWith('/v1'), 'does not end in /v1');
}

export function httpUrlList(): z.ZodType<string[], string> {
  return urlList(checkHttpUrl);
}

/** Accepts `postgres://…` or `postgresql://…` with one host or a Unix socket directory. */
export function databaseUrl(): z.ZodType<string, string> {
  return url(checkDatabaseUrl);
}

/** Accepts `smtp://user:password@host:587`, or `smtps://…` for TLS from the first byte. */
export function smtpUrl(): z.ZodType<string, string> {
  return url(checkSmtpUrl);
}

/** Accepts `Artist Watch <mail@example.com>` or only an email address. */
export function mailFrom(): z.ZodType<string, string> {
  return z.string().transform((text, context) => {
    const isAddress = /^(?:[^<>\r\n]+<[!-;=?A-~]+@[^\s<>@]+>|[!-;=?A-~]+@[^\s<>@]+)$/.test(text);
    return isAddress
      ? text
      : refuse(
          context,
          'is not an email address such as "Artist Watch <mail@example.com>" with only ASCII characters before the @',
        );
  });
}

export function redisUrl(): z.ZodType<string, string> {
  return url(checkRedisUrl);
}

/** Accepts `user:password` pairs (RFC 7617), separated by commas. */
export function credentialsList(): z.ZodType<string[], string> {
  return listOf(
    (part) => (/^[^:]+:.{16,}$/.test(part) ? part : undefined),
    'is not user:password with a password of at least 16 characters and no comma',
  );
}

/** Accepts an AES-256 key: 32 bytes in base64. */
export function encryptionKey(): z.ZodType<Buffer, string> {
  return z.string().transform((text, context) => {
    const key = Buffer.from(text, 'base64');
    const isBase64 = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
    return isBase64 && key.length === 32 ? key : refuse(context, 'is not 32 bytes in base64');
  });
}

/** Previous encryption keys, needed until key rotation is complete. Default: none. */
export function retiredKeys() {
  return listOf(
    (text) => encryptionKey().safeParse(text).data,
    'contains a key that is not 32 bytes in base64',
  ).default([]);
}

/**
 * Accepts bearer tokens separated by commas. Accepting two tokens makes it possible to replace a token without
 * downtime.
 */
export function ingestTokens(): z.ZodType<string[], string> {
  return listOf(
    (part) => (part.length >= 32 ? part : undefined),
    'has fewer than 32 characters; create one with: openssl rand -hex 32',
  );
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export function logLevel(): z.ZodType<(typeof LOG_LEVELS)[number], string> {
  return z.enum(LOG_LEVELS) as z.ZodType<(typeof LOG_LEVELS)[number], string>;
}

export const serviceSettings = {
  LOG_LEVEL: logLevel().prefault('info'),
  OPS_PORT: port().prefault('9090'),
  LISTEN_HOST: z.string().optional(),
  /** Keep this below the orchestrator's grace period (30 s on Kubernetes). */
  SHUTDOWN_DEADLINE: durationMs().prefault('25s'),
  /** Only the container demo may use the public keys from this repository. */
  ARTIST_WATCH_DEMO: flag().prefault('false'),
  OTEL_SDK_DISABLED: z
    .string()
    .prefault('false')
    .transform((text) => text.toLowerCase() === 'true'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl().optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
} as const;

export const servingSettings = {
  /**
   * How long the service keeps accepting requests after SIGTERM, while /readyz already fails. Counts toward
   * SHUTDOWN_DEADLINE.
   */
  SHUTDOWN_DELAY: durationMs().prefault('2s'),
} as const;

export const httpSettings = {
  /** Idle connections must stay open for longer than the load balancer's idle timeout (often 60 s). */
  HTTP_KEEP_ALIVE: durationMs().prefault('65s'),
} as const;

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function url(check: UrlCheck): z.ZodType<string, string> {
  return z.string().transform((text, context) => {
    const problem = check(text);
    return problem === undefined ? text : refuse(context, problem);
  });
}

function urlList(check: UrlCheck): z.ZodType<string[], string> {
  return listOf(
    (part) => (check(part) === undefined ? part : undefined),
    (part) => check(part) ?? '',
  );
}

function refuse(context: z.core.$RefinementCtx, message: string, part?: string): never {
  context.addIssue({ code: 'custom', message, ...(part === undefined ? {} : { params: { part } }) });
  return z.NEVER;
}

/** These settings are explained in docs/reference/detection.md. */
export const confirmationSettings = {
  /** Number of observations that must agree on a change. */
  CONFIRM_OBSERVATIONS: integer({ min: 2, max: 100 }).prefault('3'),
  /** The observations that confirm a change must span at least this much time. */
  CONFIRM_SPAN: durationMs().prefault('30m'),
  CONFIRM_INTERVAL: durationMs().prefault('10m'),
} as const;

/** Durations in milliseconds. */
export function confirmationOf(settings: Readonly<Record<keyof typeof confirmationSettings, number>>) {
  const { CONFIRM_OBSERVATIONS: observations, CONFIRM_SPAN: spanMs, CONFIRM_INTERVAL: intervalMs } = settings;
  return { observations, spanMs, intervalMs };
}
