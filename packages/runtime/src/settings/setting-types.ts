import { z } from 'zod';
import { type TroubleOf, troubleOfDatabase, troubleOfHttp, troubleOfRedis, troubleOfSmtp } from './address-trouble.js';

/**
 * The kinds of settings. Each parses text; its messages complete the sentence `NAME "text" …`. Give a default as text:
 * `durationMs().prefault('10s')`.
 */

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** setTimeout fires at once for anything beyond 2^31 - 1 ms, so a longer pause would become none at all. */
const LONGEST_MS = 24 * UNIT_MS.d;

function parseDurationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (!match) return undefined;
  const durationMs = Math.round(Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]);
  return durationMs <= LONGEST_MS ? durationMs : undefined;
}

const NO_DURATION = 'is not a duration such as 500ms, 10s, 1m or 2h (at most 24d)';

/** `500ms`, `10s`, `1m`, `2h`, `1.5h`, `1d` to milliseconds; at most 24 days. */
export function durationMs(): z.ZodType<number, string> {
  return z.string().transform((text, context) => {
    const parsed = parseDurationMs(text);
    return parsed ?? refuse(context, NO_DURATION);
  });
}

/** How long somebody else has for an answer: with less than 100 ms nobody would have given one in time. */
export function timeoutMs(): z.ZodType<number, string> {
  return durationMs().refine((durationMs) => durationMs >= 100, 'is less than 100ms');
}

/** `1m,5m,30m` to milliseconds; at least one. */
export function durationListMs(): z.ZodType<number[], string> {
  return listOf((part) => parseDurationMs(part), NO_DURATION);
}

/** A port to listen on; 0 is any free one. */
export function port(): z.ZodType<number, string> {
  return integer({ min: 0, max: 65_535 });
}

/** A whole number in decimal digits. */
export function integer({ min, max }: { readonly min: number; readonly max: number }): z.ZodType<number, string> {
  return z.string().transform((text, context) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : refuse(context, `is not a whole number from ${min} to ${max}`);
  });
}

/** Connections to PostgreSQL of one process, where `DATABASE_POOL_SIZE` does not say. The doctor adds them up. */
export const DATABASE_POOL_SIZES = { api: 10, 'change-ingest': 12, 'webhook-worker': 8, dashboard: 10 } as const;

/** Two at least: api and dashboard have a pool for reads and one for writes. */
export function databasePoolSize(): z.ZodType<number, string> {
  return integer({ min: 2, max: 500 });
}

/** A decimal number, `0.5`. */
export function decimal({ min, max }: { readonly min: number; readonly max: number }): z.ZodType<number, string> {
  return z.string().transform((text, context) => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : refuse(context, `is not a number from ${min} to ${max}`);
  });
}

/** `true` or `false`. */
export function flag(): z.ZodType<boolean, string> {
  return z.enum(['true', 'false']).transform((text) => text === 'true');
}

/** `a, b` to its parts, trimmed, empty ones left out. */
export function commaSeparated(): z.ZodType<string[], string> {
  return z.string().transform(partsOf);
}

/**
 * Comma-separated parts of any kind; at least one (`.default([])` for a list that may be left out).
 *
 * @param parse answers undefined for a part that is wrong.
 * @param message completes `NAME "part" …`; may depend on the part.
 */
export function listOf<Part>(
  parse: (part: string) => Part | undefined,
  message: string | ((part: string) => string),
): z.ZodType<Part[], string> {
  return z.string().transform((text, context) => {
    const parts = partsOf(text);
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

/** An absolute http or https address, as it was given. */
export function httpUrl(): z.ZodType<string, string> {
  return address(troubleOfHttp);
}

/** Comma-separated http or https addresses; at least one. */
export function httpUrlList(): z.ZodType<string[], string> {
  return addressList(troubleOfHttp);
}

/** `postgres://…` or `postgresql://…`, of one host, or of the directory of a Unix socket in a host's place. */
export function databaseUrl(): z.ZodType<string, string> {
  return address(troubleOfDatabase);
}

/** `smtp://user:password@host:587`, or `smtps://…` for TLS from the first byte. */
export function smtpUrl(): z.ZodType<string, string> {
  return address(troubleOfSmtp);
}

/** Whom mails come from: `Artist Watch <mail@example.com>`, or an address alone. */
export function mailFrom(): z.ZodType<string, string> {
  return z.string().transform((text, context) => {
    const isAddress = /^(?:[^<>\r\n]+<[!-;=?A-~]+@[^\s<>@]+>|[!-;=?A-~]+@[^\s<>@]+)$/.test(text);
    return isAddress
      ? text
      : refuse(context, 'is not a mail address such as "Artist Watch <mail@example.com>", in ASCII before the @');
  });
}

/** `redis://…` or `rediss://…` */
export function redisUrl(): z.ZodType<string, string> {
  return address(troubleOfRedis);
}

/** Comma-separated `user:password`, as RFC 7617 joins them; at least one. */
export function credentialsList(): z.ZodType<string[], string> {
  return listOf(
    (part) => (/^[^:]+:.{16,}$/.test(part) ? part : undefined),
    'is not user:password with a password of 16 characters or more and no comma',
  );
}

/** 32 bytes in base64 (AES-256). */
export function encryptionKey(): z.ZodType<Buffer, string> {
  return z.string().transform((text, context) => {
    const key = Buffer.from(text, 'base64');
    const isBase64 = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
    return isBase64 && key.length === 32 ? key : refuse(context, 'is not 32 bytes in base64');
  });
}

/** Keys that secrets may still be sealed with while they are being rotated: each 32 bytes in base64; none unless given. */
export function retiredKeys() {
  return listOf((text) => encryptionKey().safeParse(text).data, 'has a part that is not 32 bytes in base64').default(
    [],
  );
}

/** Comma-separated bearer credentials of /ingest/v1, too long to be guessed; several while one takes the place of another. */
export function ingestTokens(): z.ZodType<string[], string> {
  return listOf(
    (part) => (part.length >= 32 ? part : undefined),
    'has fewer than 32 characters; make one with: openssl rand -hex 32',
  );
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export function logLevel(): z.ZodType<(typeof LOG_LEVELS)[number], string> {
  return z.enum(LOG_LEVELS) as z.ZodType<(typeof LOG_LEVELS)[number], string>;
}

/** What every service takes: spread it into the service's own shape. */
export const serviceSettings = {
  LOG_LEVEL: logLevel().prefault('info'),
  /** The operations port: /livez, /readyz, /metrics. */
  OPS_PORT: port().prefault('9090'),
  /** The local address that every port of the service is opened on; all of them unless given. */
  LISTEN_HOST: z.string().optional(),
  /** How long an ordered stop may take; keep it under the grace period of the orchestrator (30 s on Kubernetes). */
  SHUTDOWN_DEADLINE: durationMs().prefault('25s'),
  /** The demo in containers: the keys that stand in this repository are accepted. */
  ARTIST_WATCH_DEMO: flag().prefault('false'),
  /** Traces are on when one of the next three is given. OpenTelemetry's SDK reads the others of its variables itself. */
  OTEL_SDK_DISABLED: z
    .string()
    .prefault('false')
    .transform((text) => text.toLowerCase() === 'true'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl().optional(),
  /** `artist-watch-` and the service unless given. */
  OTEL_SERVICE_NAME: z.string().optional(),
} as const;

/** What every service takes that others send requests to. */
export const servingSettings = {
  /** How long it goes on taking requests after SIGTERM, while /readyz says no already; a part of SHUTDOWN_DEADLINE. */
  SHUTDOWN_DELAY: durationMs().prefault('2s'),
} as const;

function partsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function address(troubleOf: TroubleOf): z.ZodType<string, string> {
  return z.string().transform((text, context) => {
    const trouble = troubleOf(text);
    return trouble === undefined ? text : refuse(context, trouble);
  });
}

function addressList(troubleOf: TroubleOf): z.ZodType<string[], string> {
  return listOf(
    (part) => (troubleOf(part) === undefined ? part : undefined),
    (part) => troubleOf(part) ?? '',
  );
}

function refuse(context: z.core.$RefinementCtx, message: string, part?: string): never {
  context.addIssue({ code: 'custom', message, ...(part === undefined ? {} : { params: { part } }) });
  return z.NEVER;
}

/** Rule R (docs/reference/detection.md), as change-ingest has it, for all who say how far a suspicion is. */
export const confirmationSettings = {
  /** Absent in so many observations … */
  CONFIRM_OBSERVATIONS: integer({ min: 2, max: 100 }).prefault('3'),
  /** … over at least so long. */
  CONFIRM_SPAN: durationMs().prefault('30m'),
  /** How often an artist with open suspicions is read. */
  CONFIRM_INTERVAL: durationMs().prefault('10m'),
} as const;

/** Durations in milliseconds. */
export function confirmationOf(settings: Readonly<Record<keyof typeof confirmationSettings, number>>) {
  const { CONFIRM_OBSERVATIONS: observations, CONFIRM_SPAN: spanMs, CONFIRM_INTERVAL: intervalMs } = settings;
  return { observations, spanMs, intervalMs };
}
