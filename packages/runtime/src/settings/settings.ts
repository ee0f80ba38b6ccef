import type { z } from 'zod';
import { StartError } from './start-failure.js';

/** A service's config.ts imports the reading and the kinds of settings from one place. */
export * from './setting-types.js';

export type SettingsShape = Readonly<Record<string, z.ZodType>>;

export type Settings<Shape extends SettingsShape> = { readonly [Name in keyof Shape]: z.output<Shape[Name]> };

/** Every mistake of the settings at once, as one sentence that shows no secret. */
export class SettingsError extends StartError {
  override readonly name = 'SettingsError';

  /** @param mistakes each begins with the setting's name and has no full stop: `DATABASE_URL is missing`. */
  constructor(readonly mistakes: readonly string[]) {
    super(`Settings are wrong: ${mistakes.join('; ')}.`);
  }
}

/**
 * Reads the settings of a service. A variable that is set to nothing counts as not set, so that a template may leave it
 * empty; what may be left out says so with `.prefault('10s')` (text, parsed as if it were given) or `.optional()`.
 *
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
    if (isDemoKey(name, text) && env.ARTIST_WATCH_DEMO?.trim() !== 'true') mistakes.push(demoKeyMistake(name));
    else if (parsed.success) settings[name] = parsed.data;
    else if (text === undefined) mistakes.push(`${name} is missing`);
    else mistakes.push(...parsed.error.issues.map((issue) => mistakeIn(name, text, issue)));
  }
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return settings as Settings<Shape>;
}

/** Keys that stand in this repository, for the demo in containers: anybody could forge requests and open secrets with them. */
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
  return `${name} is the public one of the demo; make your own with: ${DEMO_KEYS[name]?.command}`;
}

/** The settings as a log may show them: secrets hidden, addresses without user, password and query. */
export function describeSettings(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, describe(name, value)]));
}

const HIDDEN = '(hidden)';
/** `ENCRYPTION_KEYS_RETIRED` too, and not `REDIS_KEY_PREFIX`. */
const SECRET_NAME = /(key|token|secret|password|passphrase|credential)s?(_retired)?$/i;
const MAY_HOLD_A_SECRET = /@|pass|secret|token|key/i;
/** These addresses often hold a password; what is no address at all may be nothing but one. */
const ADDRESS_NAME = /(database|redis|proxy|smtp)_urls?$/i;
const MAX_ECHO_CHARS = 80;

function mistakeIn(name: string, text: string, issue: z.core.$ZodIssue): string {
  const part = issue.code === 'custom' && typeof issue.params?.part === 'string' ? issue.params.part : text;
  // Decided on the whole text: one wrong part of a list may be half of a password with a comma in it.
  const mayEcho =
    !SECRET_NAME.test(name) &&
    !MAY_HOLD_A_SECRET.test(text) &&
    (!ADDRESS_NAME.test(name) || part.includes('://')) &&
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
  return value;
}

function withoutSecrets(address: string): string {
  try {
    const { protocol, host, pathname } = new URL(address);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return HIDDEN;
  }
}
