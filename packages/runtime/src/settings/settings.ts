import type { z } from 'zod';
import { StartError } from './start-failure.js';

export * from './setting-types.js';

export type SettingsShape = Readonly<Record<string, z.ZodType>>;

export type Settings<Shape extends SettingsShape> = { readonly [Name in keyof Shape]: z.output<Shape[Name]> };

/** Reports all mistakes in a single sentence, without revealing secrets. */
export class SettingsError extends StartError {
  override readonly name = 'SettingsError';

  /** @param mistakes such as `DATABASE_URL is missing`, without a period. */
  constructor(readonly mistakes: readonly string[]) {
    super(`Invalid settings: ${mistakes.join('; ')}.`);
  }
}

/**
 * An empty variable counts as unset.
 * @throws SettingsError that lists every mistake.
 */
export function readSettings<Shape extends SettingsShape>(
  shape: Shape,
  env: Readonly<Record<string, string | undefined>>,
): Settings<Shape> {
  const settings: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [name, type] of Object.entries(shape)) {
    const text = env[name]?.trim() || undefined;
    const parsed = type.safeParse(text);
    const isDemo = env.ARTIST_WATCH_DEMO?.trim() === 'true';
    if (isDemoKey(name, text) && !isDemo) mistakes.push(demoKeyMistake(name));
    else if (isExample(name, text) && !isDemo)
      mistakes.push(`${name} contains an example host; replace it with your own`);
    else if (parsed.success) settings[name] = parsed.data;
    else if (text === undefined) mistakes.push(`${name} is missing`);
    else mistakes.push(...parsed.error.issues.map((issue) => describeIssue(name, text, issue)));
  }
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return settings as Settings<Shape>;
}

/** These keys are published in this repository, so real installations must not use them. */
const DEMO_KEYS: Readonly<Record<string, { readonly key: string; readonly command: string }>> = {
  ENCRYPTION_KEY: { key: 'b25seSBmb3IgdGhpcyBtYWNoaW5lLCAzMiBieXRlcyE=', command: 'openssl rand -base64 32' },
  INGEST_TOKEN: { key: 'the-ingest-token-of-the-public-demo', command: 'openssl rand -hex 32' },
};

function isDemoKey(name: string, text: string | undefined): boolean {
  const withoutPadding = (key: string) => key.trim().replace(/=+$/, '');
  const key = DEMO_KEYS[name]?.key;
  return key !== undefined && (text ?? '').split(',').map(withoutPadding).includes(withoutPadding(key));
}

function demoKeyMistake(name: string): string {
  return `${name} is the public demo value; create your own with: ${DEMO_KEYS[name]?.command}`;
}

/** These settings aren't used at startup, so a wrong host would go unnoticed for a while. */
const PUBLIC_ADDRESSES = ['API_PUBLIC_URL', 'DASHBOARD_URL', 'MAIL_FROM', 'SMTP_URL'];

/** Hosts ending in `.example` are reserved and never exist (RFC 2606). */
function isExample(name: string, text = ''): boolean {
  return PUBLIC_ADDRESSES.includes(name) && /[.@/]example\.?(?=[:/?>]|$)/i.test(text);
}

/** Returns the settings for a log line, with secrets and URL credentials removed. */
export function describeSettings(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, describe(name, value)]));
}

const HIDDEN = '(hidden)';
/** Matches `ENCRYPTION_KEYS_RETIRED` but not `REDIS_KEY_PREFIX`. */
const SECRET_NAME = /(key|token|secret|password|passphrase|credential)s?(_retired)?$/i;
const MAY_CONTAIN_SECRET = /@|pass|secret|token|key/i;
/** If the value of one of these settings has no `://`, it may be a bare password. */
const URL_NAME = /(database|redis|proxy|smtp)_urls?$/i;
const MAX_ECHO_CHARS = 80;

function describeIssue(name: string, text: string, issue: z.core.$ZodIssue): string {
  const part = issue.code === 'custom' && typeof issue.params?.part === 'string' ? issue.params.part : text;
  // Check the whole text, because a password that contains a comma would be split into two list items.
  const mayEcho =
    !SECRET_NAME.test(name) &&
    !MAY_CONTAIN_SECRET.test(text) &&
    (!URL_NAME.test(name) || part.includes('://')) &&
    part.length <= MAX_ECHO_CHARS;
  const subject = mayEcho ? `${name} "${part}"` : name;
  switch (issue.code) {
    case 'custom':
      return `${subject} ${issue.message}`;
    case 'invalid_value':
      return `${subject} is not one of ${issue.values.join(', ')}`;
    default:
      return `${subject} is not valid (${issue.message})`;
  }
}

function describe(name: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (SECRET_NAME.test(name) || value instanceof Uint8Array) return HIDDEN;
  if (Array.isArray(value)) return value.map((part) => describe(name, part));
  if (typeof value === 'string' && value.includes('://')) return withoutSecrets(value);
  return isCidr(value) ? `${value.network.text}/${value.prefixBits}` : value;
}

function isCidr(value: unknown): value is { readonly network: { readonly text: string }; readonly prefixBits: number } {
  return typeof value === 'object' && value !== null && 'network' in value && 'prefixBits' in value;
}

function withoutSecrets(text: string): string {
  try {
    const { protocol, host, pathname } = new URL(text);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return HIDDEN;
  }
}
