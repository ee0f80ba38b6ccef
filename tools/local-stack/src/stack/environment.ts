import { isIP } from 'node:net';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import { type ServiceKind, serviceKinds } from './replicas/service-kinds.js';
import type { StackSecrets } from './secrets.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Webhooks may be sent to loopback addresses, because tests and demos receive them on this machine. */
const loopback = '127.0.0.0/8,::1/128';

/** A local stack should stop faster than a cluster. */
const shutdownDeadline = '10s';

/** Settings that the CLI and additional replicas must share. */
const sharedSettings =
  /^(WEBHOOK|CONFIRM|POLL|SWEEP|RELAY|PLATFORM|SPOTIFY|EGRESS|ENCRYPTION|DATABASE_POOL)_|^(LOG_LEVEL|API_PUBLIC_URL|DASHBOARD_URL|SMTP_URL|KEEP_PICTURES|MAIL_FROM|MAIL_GROUP_WAIT|REDIS_KEY_PREFIX|TRUSTED_PROXY_CIDRS|HTTP_KEEP_ALIVE|API_\w+_TIMEOUT)$/;

export interface StackAddresses {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly egressProxyUrls: readonly string[];
}

export function baseSettings(environment: Environment, secrets: StackSecrets) {
  const host = environment.LISTEN_HOST || '127.0.0.1';
  return {
    LISTEN_HOST: host,
    EGRESS_ALLOW_CIDRS: environment.EGRESS_ALLOW_CIDRS ?? loopback,
    // All of the proxies' clients run on this machine.
    EGRESS_CLIENT_CIDRS: environment.EGRESS_CLIENT_CIDRS || [loopback, isIP(host) ? host : ''].join(','),
    ENCRYPTION_KEY: environment.ENCRYPTION_KEY || secrets.encryptionKey,
    INGEST_TOKEN: environment.INGEST_TOKEN || secrets.ingestToken,
    PLATFORM: environment.PLATFORM || 'deezer',
    SHUTDOWN_DEADLINE: environment.SHUTDOWN_DEADLINE || shutdownDeadline,
  };
}

/** Adds the first entry of EGRESS_CLIENT_CREDENTIALS to the URLs. */
export function proxyUrlsFor({ EGRESS_CLIENT_CREDENTIALS = '' }: Environment, origins: readonly string[]): string[] {
  const [credentials = ''] = EGRESS_CLIENT_CREDENTIALS.split(',').map((text) => text.trim());
  if (credentials === '') return [...origins];
  const userInfo = credentials.split(/:(.*)/s, 2).map(encodeURIComponent).join(':');
  return origins.map((origin) => origin.replace('://', `://${userInfo}@`));
}

/** Sets fake credentials for the simulator. For a real platform, services read the credentials from the environment. */
export function platformSettings(environment: Environment, simulatorUrl: string | undefined): Record<string, string> {
  if (simulatorUrl === undefined) {
    return environment.PLATFORM_URL ? { PLATFORM_URL: environment.PLATFORM_URL } : {};
  }
  return {
    PLATFORM_URL: simulatorUrl,
    SPOTIFY_ACCOUNTS_URL: simulatorUrl,
    SPOTIFY_CLIENT_ID: environment.SPOTIFY_CLIENT_ID || 'local-stack',
    SPOTIFY_CLIENT_SECRET: environment.SPOTIFY_CLIENT_SECRET || 'local-stack',
  };
}

/** Emails go to the stack's mailbox unless SMTP_URL is set. */
export function mailSettings(environment: Environment, mailboxUrl: string | undefined): Record<string, string> {
  const smtpUrl = environment.SMTP_URL || mailboxUrl?.replace(/^http:/, 'smtp:');
  return {
    ...(smtpUrl && { SMTP_URL: smtpUrl }),
    MAIL_FROM: environment.MAIL_FROM || 'Artist Watch <mail@artist-watch.test>',
  };
}

export function addressSettings(addresses: StackAddresses) {
  return {
    DATABASE_URL: addresses.databaseUrl,
    REDIS_URL: addresses.redisUrl,
    EGRESS_PROXY_URLS: addresses.egressProxyUrls.join(','),
  };
}

export function sharedEnvironment(
  environment: Environment,
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const given = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && sharedSettings.test(entry[0]),
  );
  const freePorts = serviceKinds.flatMap((kind) => Object.keys(kind.ports)).map((setting) => [setting, '0'] as const);
  return { ...Object.fromEntries(given), ...Object.fromEntries(freePorts), ...settings };
}

/**
 * The first replica gets the configured port, and each additional replica gets the next one. Operations ports are
 * numbered across all services.
 * @throws StartError if a value isn't a valid port.
 */
export function givenPorts(
  environment: Environment,
  kind: ServiceKind,
  number: number,
  operationsIndex: number,
): Record<string, number> {
  const ports: Record<string, number> = {};
  for (const setting of Object.keys(kind.ports)) {
    const text = environment[setting]?.trim();
    if (!text || text === '0') continue;
    const first = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    const port = first + (setting === 'OPS_PORT' ? operationsIndex : number - 1);
    if (!(port <= 65_535)) throw new StartError(`Invalid settings: ${setting} "${text}" is not a port.`);
    ports[setting] = port;
  }
  return ports;
}
