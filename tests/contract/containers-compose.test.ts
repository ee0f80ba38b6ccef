import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig as readApiConfig } from '@artist-watch/api/config';
import { readConfig as readIngestConfig } from '@artist-watch/change-ingest/config';
import { readConfig as readDashboardConfig } from '@artist-watch/dashboard/config';
import { readConfig as readEgressConfig } from '@artist-watch/egress-proxy/config';
import { readConfig as readWorkerConfig } from '@artist-watch/webhook-worker/config';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { imagesOf, inherited, ROOT, readStages } from './containers/dockerfile.js';
import { longestAttemptMs, timeToEndMs } from './k8s/programs.js';

type Networks = Readonly<Record<string, { readonly aliases?: readonly string[] }>>;

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks: readonly string[] | Networks;
  readonly mem_limit?: string;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
  readonly restart?: string;
  readonly logging?: { readonly driver: string };
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
  readonly container_name?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<
    Record<
      string,
      {
        readonly internal?: boolean;
        readonly ipam?: { readonly config: { readonly subnet: string }[] };
        readonly driver_opts?: Readonly<Record<string, string>>;
      }
    >
  >;
}

/** Variables come only from `env`. */
function readCompose(file: string, env: Readonly<Record<string, string>> = {}): Compose {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const interpolated = text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, operator, operand) => {
    if (operator === '?' && !env[name]) throw new Error(`required variable ${name} is missing a value: ${operand}`);
    return env[name] || (operator === '-' ? operand : '');
  });
  // `!override` replaces a list, which `withOverride` does for every list.
  return parse(interpolated, { merge: true, logLevel: 'error' }) as Compose;
}

/** Like Compose, merges mappings and replaces anything else. */
function withOverride<Value>(base: Value, override: unknown): Value {
  if (!isMapping(base) || !isMapping(override)) return override as Value;
  const names = new Set([...Object.keys(base), ...Object.keys(override)]);
  return Object.fromEntries(
    [...names].map((name) => [name, name in override ? withOverride(base[name], override[name]) : base[name]]),
  ) as Value;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `docker compose up` merges these files. */
const { services, networks } = withOverride(
  readCompose('docker-compose.yml'),
  readCompose('docker-compose.override.yml'),
);
const ours = Object.entries(services).filter(([, service]) => service.build);
const stages = readStages();

function service(name: string): Service {
  const found = services[name];
  if (!found) throw new Error(`There is no service ${name}.`);
  return found;
}

/** Compose has two notations for networks. */
function networksOf({ networks: own }: Service): Networks {
  return Array.isArray(own) ? Object.fromEntries(own.map((network) => [network, {}])) : (own as Networks);
}

const namesOf = (each: Service) => Object.keys(networksOf(each));

/** Docker's DNS resolves `host` on these networks, by service name or alias. */
function networksThatKnow(host: string): readonly string[] {
  return Object.entries(services).flatMap(([name, each]) =>
    Object.entries(networksOf(each)).flatMap(([network, { aliases = [] }]) =>
      name === host || aliases.includes(host) ? [network] : [],
    ),
  );
}

test('every program has a service, and every service has a build target or a pinned image', () => {
  const targets = new Set(ours.map(([, { build }]) => build?.target ?? ''));
  expect([...targets].sort()).toEqual([...imagesOf(stages).map(({ image }) => image), 'toolbox'].sort());
  for (const { image, build } of Object.values(services)) {
    if (!build) expect(image).toMatch(/^[a-z]+:\d+\.[\d.]+@sha256:[\da-f]{64}$/);
  }
});

test('the local overlay and docs/images.md name the same pinned images as docker-compose.yml', () => {
  const page = readFileSync(path.join(ROOT, 'docs/images.md'), 'utf8');
  for (const name of ['postgres', 'redis']) {
    const image = service(name).image ?? '';
    const overlay = readFileSync(path.join(ROOT, `k8s/overlays/local/data/${name}.yaml`), 'utf8');
    expect(overlay).toContain(`image: ${image}\n`);
    const [tag, digest] = image.split('@');
    expect(page).toContain(`| \`${tag}\` | \`${digest}\` |`);
  }
});

test('every service that another one depends on either runs once and exits, or has a health check', () => {
  for (const [name, { depends_on = {} }] of Object.entries(services)) {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const { build, healthcheck, restart } = service(other);
      if (condition === 'service_completed_successfully') expect([name, other, restart]).toEqual([name, other, 'no']);
      else {
        const check = build && inherited(stages, build.target).find((each) => each.getKeyword() === 'HEALTHCHECK');
        const inImage = check !== undefined && check.getArgumentsContent() !== 'NONE';
        expect([name, other, condition, healthcheck !== undefined || inImage]).toEqual([
          name,
          other,
          'service_healthy',
          true,
        ]);
      }
    }
  }
});

test('the database is migrated before any service starts, and the services are up before the demo', () => {
  expect(service('migrate').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  for (const name of ['api', 'change-ingest', 'webhook-worker', 'dashboard']) {
    expect(service(name).depends_on).toMatchObject({
      migrate: { condition: 'service_completed_successfully' },
      redis: { condition: 'service_healthy' },
    });
  }
  expect(Object.keys(service('demo').depends_on ?? {})).toEqual(['api', 'change-ingest', 'webhook-worker']);
});

test('Redis persists its data, evicts nothing, and checks its timers a hundred times a second', () => {
  const { command = [] } = service('redis');
  const options = Object.fromEntries(
    command.flatMap((word, index) => (word.startsWith('--') ? [[word, command[index + 1]]] : [])),
  );
  expect(options).toMatchObject({
    '--appendonly': 'yes',
    '--maxmemory-policy': 'noeviction',
    '--maxmemory': expect.stringMatching(/^\d+mb$/),
    '--hz': '100',
  });
});

test('workers can be scaled: they have no fixed name and no published port', () => {
  const worker = service('webhook-worker');
  expect([worker.container_name, worker.ports]).toEqual([undefined, undefined]);
});

test('workers reach the Internet only through the proxies, and no port is open to other machines', () => {
  const isInternal = (network: string) => networks[network]?.internal === true;
  expect(namesOf(service('webhook-worker')).every(isInternal)).toBe(true);
  const outside = Object.entries(services)
    .filter(([, each]) => namesOf(each).includes('outside'))
    .map(([name]) => name);
  expect(outside.sort()).toEqual([
    'demo',
    'egress-polling',
    'egress-webhooks-1',
    'egress-webhooks-2',
    'platform-simulator',
  ]);
  const published = Object.values(services).flatMap(({ ports = [] }) => ports);
  expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
});

test('our containers have a read-only file system and no capabilities', () => {
  for (const [name, each] of ours) {
    expect([name, each.read_only, each.cap_drop]).toEqual([name, true, ['ALL']]);
  }
});

test('container logs are rotated, so they cannot fill the disk', () => {
  const drivers = Object.entries(services).map(([name, { logging }]) => [name, logging?.driver]);
  expect(drivers).toEqual(Object.keys(services).map((name) => [name, 'local']));
});

test('every service starts with its configured settings and has time to stop', () => {
  const environment = (name: string) => service(name).environment ?? {};
  const configs = [
    readApiConfig(environment('api')),
    readIngestConfig(environment('change-ingest')),
    readWorkerConfig(environment('webhook-worker')),
    readDashboardConfig(environment('dashboard')),
  ];
  const egress = readEgressConfig(environment('egress-webhooks-1'));
  const attemptMs = longestAttemptMs(readWorkerConfig(environment('webhook-worker')));
  const stops = [
    ...configs.map(({ SHUTDOWN_DEADLINE, ...config }) => ({
      shutdownDeadlineMs: SHUTDOWN_DEADLINE,
      shutdownDelayMs: 'SHUTDOWN_DELAY' in config ? config.SHUTDOWN_DELAY : 0,
    })),
    { shutdownDeadlineMs: egress.SHUTDOWN_DEADLINE, shutdownDelayMs: egress.SHUTDOWN_DELAY },
  ];
  for (const stop of stops) expect(timeToEndMs(stop)).toBeGreaterThan(attemptMs);
  for (const [name, { restart, stop_grace_period }] of ours.filter(([, { restart }]) => restart !== 'no')) {
    expect([name, restart, Number.parseInt(stop_grace_period ?? '', 10)]).toEqual([name, 'unless-stopped', 40]);
  }
  expect(40_000).toBeGreaterThan(Math.max(...stops.map(({ shutdownDeadlineMs }) => shutdownDeadlineMs)));
  expect(environment('egress-webhooks-1').EGRESS_CLIENT_CIDRS).toBe(networks.egress?.ipam?.config[0]?.subnet);
  expect(egress.EGRESS_ALLOW_CIDRS).toHaveLength(1);
  expect(environment('egress-webhooks-1').EGRESS_ALLOW_CIDRS).toBe(networks.outside?.ipam?.config[0]?.subnet);
  const worker = readWorkerConfig(environment('webhook-worker'));
  expect(worker.EGRESS_PROXY_URLS).toEqual(
    [1, 2].map((number) => `http://egress-webhooks-${number}:${egress.EGRESS_PORT}`),
  );
});

test('each URL in a setting points to a service on a shared network', () => {
  for (const [name, each] of ours) {
    const { environment = {} } = each;
    for (const [setting, value] of Object.entries(environment)) {
      if (setting === 'API_PUBLIC_URL' || !isUsedBy(name, setting)) continue;
      for (const [, host = ''] of value.matchAll(/:\/\/(?:[^@/]*@)?([\w-]+):\d+/g)) {
        // Platform requests go through a proxy.
        const caller = PLATFORM_ADDRESSES.has(setting) ? service('egress-polling') : each;
        const common = namesOf(service(host)).filter((network) => namesOf(caller).includes(network));
        expect([name, setting, host, common.length > 0]).toEqual([name, setting, host, true]);
      }
    }
  }
});

describe('without the override, for a real platform', () => {
  const keys = { ENCRYPTION_KEY: randomBytes(32).toString('base64'), INGEST_TOKEN: randomBytes(32).toString('hex') };
  const mails = { SMTP_URL: 'smtps://user:password@mail.label.test', MAIL_FROM: 'mail@label.test' };
  const real = (env: Readonly<Record<string, string>>) => readCompose('docker-compose.yml', env);
  const environmentOf = (name: string, env: Readonly<Record<string, string>>) =>
    real(env).services[name]?.environment ?? {};

  test('the simulator, the mailbox and the demo are absent, and nothing refers to them', () => {
    const { services: all } = real({});
    expect(
      Object.keys(all).filter((name) => services[name] && !['platform-simulator', 'mailbox', 'demo'].includes(name)),
    ).toEqual(Object.keys(all));
    expect(JSON.stringify(all)).not.toMatch(/simulator|mailbox|demo/);
  });

  test('every service starts with your own keys, the real platform and the default intervals', () => {
    const api = readApiConfig(environmentOf('api', keys));
    const ingest = readIngestConfig(environmentOf('change-ingest', keys));
    readWorkerConfig(environmentOf('webhook-worker', keys));
    const dashboard = readDashboardConfig(
      environmentOf('dashboard', { ...keys, ...mails, DASHBOARD_URL: 'https://watch.label.test' }),
    );
    expect(dashboard).toMatchObject({ ...mails, DASHBOARD_URL: 'https://watch.label.test' });
    const egress = readEgressConfig(environmentOf('egress-webhooks-1', keys));
    for (const config of [api, ingest]) {
      expect([config.PLATFORM, config.PLATFORM_URL, config.SPOTIFY_ACCOUNTS_URL]).toEqual([
        'deezer',
        undefined,
        undefined,
      ]);
    }
    expect(ingest).toMatchObject({ CONFIRM_SPAN: 1_800_000, CONFIRM_INTERVAL: 600_000, POLL_INTERVAL_FACTOR: 1 });
    expect(egress.EGRESS_ALLOW_CIDRS).toEqual([]);
    expect(egress.EGRESS_CLIENT_CIDRS).toHaveLength(1);
  });

  test('there are no default keys: a service that needs one does not start without it', () => {
    expect(() => readApiConfig(environmentOf('api', {}))).toThrow('ENCRYPTION_KEY is missing');
    expect(() => readWorkerConfig(environmentOf('webhook-worker', {}))).toThrow('ENCRYPTION_KEY is missing');
    expect(() => readIngestConfig(environmentOf('change-ingest', {}))).toThrow('INGEST_TOKEN is missing');
    expect(() => readDashboardConfig(environmentOf('dashboard', {}))).toThrow('ENCRYPTION_KEY is missing');
  });

  test("the demo's public keys are rejected, and the message has the command that creates new ones", () => {
    const { ENCRYPTION_KEY = '' } = service('api').environment ?? {};
    const { INGEST_TOKEN = '' } = service('change-ingest').environment ?? {};
    const published = { ENCRYPTION_KEY, INGEST_TOKEN, ...mails };
    for (const [name, read] of [
      ['api', readApiConfig],
      ['webhook-worker', readWorkerConfig],
      ['dashboard', readDashboardConfig],
    ] as const) {
      expect(() => read(environmentOf(name, published))).toThrow(
        'ENCRYPTION_KEY is the public demo value; create your own with: openssl rand -base64 32.',
      );
    }
    expect(() => readIngestConfig(environmentOf('change-ingest', published))).toThrow(
      'INGEST_TOKEN is the public demo value; create your own with: openssl rand -hex 32.',
    );
  });

  test("only the programs that call the platform get Spotify's credentials", () => {
    const env = { ...keys, PLATFORM: 'spotify', SPOTIFY_CLIENT_ID: 'app', SPOTIFY_CLIENT_SECRET: 'of-the-app' };
    const holders = Object.keys(real(env).services).filter(
      (name) => environmentOf(name, env).SPOTIFY_CLIENT_SECRET === 'of-the-app',
    );
    expect(holders.sort()).toEqual(['api', 'change-ingest', 'cli', 'dashboard', 'toolbox']);
  });
});

describe('with docker-compose.real.yml, for a real platform', () => {
  const passwords = {
    POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
    REDIS_PASSWORD: randomBytes(24).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    INGEST_TOKEN: randomBytes(32).toString('hex'),
  };
  const read = (env: Readonly<Record<string, string>>) =>
    withOverride(readCompose('docker-compose.yml', env), readCompose('docker-compose.real.yml', env));
  const real = read(passwords);

  test.each(Object.keys(passwords))(
    'nothing starts without %s, and the error has the command that creates it',
    (name) => {
      expect(() => read({ ...passwords, [name]: '' })).toThrow(
        new RegExp(`${name} is missing a value: set it in \\.env, created with openssl rand`),
      );
    },
  );

  test('every program that uses PostgreSQL or Redis gets the chosen passwords', () => {
    const url = `postgresql://artist_watch:${passwords.POSTGRES_PASSWORD}@postgres:5432/artist_watch`;
    const users = ['api', 'change-ingest', 'webhook-worker', 'dashboard', 'cli', 'toolbox'];
    for (const name of ['migrate', ...users]) {
      expect([name, real.services[name]?.environment?.DATABASE_URL]).toEqual([name, url]);
    }
    for (const name of users) {
      const redisUrl = real.services[name]?.environment?.REDIS_URL;
      expect([name, redisUrl]).toEqual([name, `redis://:${passwords.REDIS_PASSWORD}@redis:6379`]);
    }
    expect(real.services.postgres?.environment?.POSTGRES_PASSWORD).toBe(passwords.POSTGRES_PASSWORD);
    const { command = [] } = readCompose('docker-compose.yml').services.redis ?? {};
    expect(real.services.redis?.command).toEqual([...command, '--requirepass', passwords.REDIS_PASSWORD]);
    expect(real.services.redis?.environment?.REDISCLI_AUTH).toBe(passwords.REDIS_PASSWORD);
  });

  test('every container has a memory limit, and each service has the same one as in k8s/base', () => {
    const limits = Object.entries(real.services).map(([name, { mem_limit }]) => [name, mem_limit]);
    expect(limits).toEqual(limits.map(([name]) => [name, expect.stringMatching(/^\d+[mg]$/)]));
    for (const name of ['api', 'change-ingest', 'dashboard', 'webhook-worker']) {
      const deployment = readFileSync(path.join(ROOT, `k8s/base/${name}/deployment.yaml`), 'utf8');
      const limit = /limits: \{ cpu: "\d+", memory: (\d+)Mi \}/.exec(deployment)?.[1];
      expect([name, real.services[name]?.mem_limit]).toEqual([name, `${limit}m`]);
    }
  });

  test('services that need neither DNS nor a mail server reach the Internet only through the proxies', () => {
    const canLeave = (network: string) => {
      const { internal, driver_opts } = real.networks[network] ?? {};
      return !internal && driver_opts?.['com.docker.network.bridge.enable_ip_masquerade'] !== 'false';
    };
    const leaving = Object.entries(real.services)
      .filter(([, each]) => namesOf(each).some(canLeave))
      .map(([name]) => name);
    expect(leaving.sort()).toEqual(['api', 'dashboard', 'egress-polling', 'egress-webhooks-1', 'egress-webhooks-2']);
    // The firewall rules of docs/real-platforms.md contain the subnet of the API and the dashboard.
    const rules = readFileSync(path.join(ROOT, 'docs/real-platforms.md'), 'utf8').match(/-s \S+/g);
    const subnet = real.networks.front?.ipam?.config[0]?.subnet;
    expect(rules).toEqual([`-s ${subnet}`, `-s ${subnet}`, `-s ${subnet}`]);
    for (const name of ['api', 'dashboard']) expect(namesOf(service(name))).toContain('front');
  });

  test('the command line and the toolbox start only when they are named', () => {
    for (const name of ['cli', 'toolbox']) expect([name, real.services[name]?.profiles]).toEqual([name, ['tools']]);
  });
});

test("the demo's receiver can be reached only from the egress proxies' network", () => {
  const host = service('demo').environment?.RECEIVER_HOST ?? '';
  expect(networksThatKnow(host)).toEqual(['outside']);
  for (const name of ['egress-webhooks-1', 'egress-webhooks-2']) expect(namesOf(service(name))).toContain('outside');
  // The API resolves and checks a URL before it is stored.
  expect(namesOf(service('api'))).not.toContain('outside');
});

const PLATFORM_ADDRESSES = new Set(['PLATFORM_URL', 'SPOTIFY_ACCOUNTS_URL']);

/** All services share one block of settings, but some services do not use all of them. */
function isUsedBy(name: string, setting: string): boolean {
  if (name.startsWith('egress-')) return false;
  return !(name === 'migrate' && setting === 'REDIS_URL');
}
