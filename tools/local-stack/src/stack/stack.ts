import { rm } from 'node:fs/promises';
import type { Platform } from '@artist-watch/domain/catalogue';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { migrate } from '@artist-watch/persistence/migration/migrate';
import { openReaper } from '../processes/reaper.js';
import { type DataServer, openPostgres, openRedis } from './data-servers.js';
import { openDirectory, type StackDirectory } from './directory.js';
import {
  addressSettings,
  baseSettings,
  type Environment,
  mailSettings,
  platformSettings,
  proxyUrlsFor,
  sharedEnvironment,
} from './environment.js';
import type { StackOptions } from './options.js';
import { platformControl } from './platform-control.js';
import { OWN_SERVICES, type OwnService, type ReadyState, writeReadyFile } from './ready-file.js';
import { Fleet } from './replicas/fleet.js';
import type { ServiceName } from './replicas/service-kinds.js';
import { Supervisor } from './replicas/supervisor.js';
import { openSecrets, type StackSecrets, saveSecrets } from './secrets.js';
import { type SeededAccount, seedAccount, seedWatches } from './seed.js';

export interface StackContext {
  readonly environment: Environment;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface Stack {
  /** Not constant: process ids change when processes restart. */
  readonly state: ReadyState;
  stop(): Promise<void>;
}

const demoArtists = 3;

/** Longer than the services' shutdown deadline. */
const patienceMs = 30_000;

/** @throws StartError if any part doesn't start. By then, everything has been stopped. */
export async function startStack(options: StackOptions, context: StackContext): Promise<Stack> {
  const undo: Array<() => Promise<unknown>> = [];
  const stop = async () => {
    for (let step = undo.pop(); step; step = undo.pop()) await step();
  };
  try {
    const state = await start(options, context, undo);
    return {
      get state() {
        return state();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  options: StackOptions,
  { environment, report, signal }: StackContext,
  undo: Array<() => Promise<unknown>>,
): Promise<() => ReadyState> {
  const { readyFile } = options;
  const isSimulated = !options.real && !environment.PLATFORM_URL;
  if (readyFile) await rm(readyFile, { force: true });

  const reaper = openReaper();
  undo.push(() => reaper.close());
  const directory = await openDirectory(options.dataDirectory, reaper);
  undo.push(() => directory.release());
  const secrets = await openSecrets(directory.path);
  const settings = baseSettings(environment, secrets);

  const supervisor = new Supervisor({ restart: options.restart, report });
  const dataServers: DataServer[] = [];
  undo.push(() => Promise.all(dataServers.map((server) => server.release())));
  const fleet = new Fleet({
    options,
    environment,
    host: settings.LISTEN_HOST,
    logs: directory.logs,
    reaper,
    patienceMs,
    onStarted: (replica) => supervisor.watch(replica.label, replica),
  });
  undo.push(() => fleet.stop());
  undo.push(async () => supervisor.stop());
  signal.addEventListener('abort', () => fleet.abortStart());

  const place = { directory, reaper, report };
  const open = async (name: string, opening: Promise<DataServer>) => {
    const server = await opening;
    dataServers.push(server);
    if (server.embedded) supervisor.watch(name, server.embedded);
    return server;
  };
  const first: ServiceName[] = [];
  if (isSimulated) first.push('platformSimulator');
  if (!environment.EGRESS_PROXY_URLS) first.push('egressProxy');
  if (!environment.SMTP_URL) first.push('mailbox');
  const [{ postgres, account }, redis] = await allSettledOrThrow([
    open('PostgreSQL', openPostgres(environment.DATABASE_URL, secrets, place)).then(async (server) => ({
      postgres: server,
      account: await prepareDatabase(server.url, secrets, directory),
    })),
    open('Redis', openRedis(environment.REDIS_URL, place)),
    fleet.start(first, settings),
  ]);
  signal.throwIfAborted();

  const controlUrl = fleet.addresses('platformSimulator', 'control')[0];
  if (controlUrl && options.seed === 'demo') {
    const artists = await platformControl(controlUrl).artistsToWatch(demoArtists);
    await withDatabase(postgres.url, (database) =>
      seedWatches(database, account.id, settings.PLATFORM as Platform, artists),
    );
  }

  const egressProxyUrls =
    environment.EGRESS_PROXY_URLS?.split(',') ?? proxyUrlsFor(environment, fleet.addresses('egressProxy', 'egress'));
  const addresses = { databaseUrl: postgres.url, redisUrl: redis.url, egressProxyUrls };
  const platform = platformSettings(environment, fleet.addresses('platformSimulator', 'platform')[0]);
  const mail = mailSettings(environment, fleet.addresses('mailbox', 'smtp')[0]);
  const serviceSettings = { ...settings, ...addressSettings(addresses), ...platform, ...mail };
  await fleet.start(['webhookWorker', 'changeIngest', 'api', 'dashboard'], serviceSettings);
  signal.throwIfAborted();

  const apiUrl = () => `${fleet.addresses('api', 'api')[0]}/v1`;
  const state = (): ReadyState => ({
    apiUrl: apiUrl(),
    apiUrls: fleet.addresses('api', 'api').map((origin) => `${origin}/v1`),
    apiKey: account.apiKey,
    accountId: account.id,
    ingestUrl: `${fleet.addresses('changeIngest', 'ingest')[0]}/ingest/v1`,
    ingestUrls: fleet.addresses('changeIngest', 'ingest').map((origin) => `${origin}/ingest/v1`),
    ingestToken: settings.INGEST_TOKEN.split(',', 1)[0]?.trim() ?? '',
    ...addresses,
    platform: settings.PLATFORM,
    platformUrl: platform.PLATFORM_URL ?? null,
    platformControlUrl: controlUrl ?? null,
    dashboardUrl: fleet.addresses('dashboard', 'dashboard')[0] ?? null,
    dashboardUrls: fleet.addresses('dashboard', 'dashboard'),
    mailboxUrl: fleet.addresses('mailbox', 'mailbox')[0] ?? null,
    memberEmail: account.memberEmail,
    opsUrls: mapServices((name) => fleet.addresses(name, 'ops')),
    pids: {
      postgres: postgres.embedded?.pid ?? null,
      redis: redis.embedded?.pid ?? null,
      ...mapServices((name) => fleet.pids(name)),
      mailbox: fleet.pids('mailbox')[0] ?? null,
      platformSimulator: fleet.pids('platformSimulator')[0] ?? null,
    },
    env: { ...sharedEnvironment(environment, serviceSettings), API_URL: apiUrl(), API_KEY: account.apiKey },
    logsDirectory: directory.logs,
  });
  if (readyFile) {
    undo.push(() => rm(readyFile, { force: true }));
    await writeReadyFile(readyFile, state());
    supervisor.onRestarted(() => writeReadyFile(readyFile, state()));
  }
  return state;
}

function mapServices<Value>(map: (name: OwnService) => Value): Record<OwnService, Value> {
  return Object.fromEntries(OWN_SERVICES.map((name) => [name, map(name)])) as Record<OwnService, Value>;
}

async function prepareDatabase(url: string, secrets: StackSecrets, directory: StackDirectory): Promise<SeededAccount> {
  await migrate(url);
  const { memberEmail, ...account } = await withDatabase(url, (database) => seedAccount(database, secrets.account));
  await saveSecrets(directory.path, { ...secrets, account });
  return { ...account, memberEmail };
}

async function withDatabase<Result>(
  url: string,
  work: (database: ReturnType<typeof openDatabase>) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase({ url, poolSize: 2, applicationName: 'local-stack' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * Like Promise.all, but waits for all promises before rejecting, so that everything that was started can be stopped.
 */
async function allSettledOrThrow<Results extends readonly unknown[]>(
  work: {
    [Index in keyof Results]: Promise<Results[Index]>;
  },
): Promise<Results> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as unknown as Results;
}
