import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCommandConnection } from '@artist-watch/delivery/queue/connection';
import { type StackProcess, startStackProcess } from '@artist-watch/harness/stack-process';
import { until } from '@artist-watch/harness/until';
import type { OwnService, ReadyState } from '@artist-watch/local-stack/stack/ready-file';
import { imageCommand } from '@artist-watch/local-stack/stack/replicas/image-command';
import { findKind } from '@artist-watch/local-stack/stack/replicas/service-kinds';
import { type Mailbox, openMailbox } from '@artist-watch/mailbox/mailbox';
import type { Redis } from 'ioredis';
import pg from 'pg';
import { thawEverything } from './processes.js';

/** These delays are shorter than in production. */
const settings = {
  WEBHOOK_RETRY_DELAYS: '2s,4s,6s,8s',
  WEBHOOK_CONCURRENCY: '24',
  WEBHOOK_SWITCH_OFF_AFTER: '1000000',
  SWEEP_INTERVAL: '2s',
  LOG_LEVEL: 'info',
  // Six changes an hour get separate emails, which are spread over the faults.
  MAIL_GROUP_WAIT: '4s',
} as const;

export const rules = {
  retryDelaysMs: [2_000, 4_000, 6_000, 8_000],
  handoverMs: 30_000,
  roundingMs: 2,
} as const;

const sweepMs = 2_000;
/** An idle machine needs this time to restart a process. */
const slackMs = 5_000;

/**
 * Without a fault, a retry may be late by one sweep and the time that this machine needs.
 * @param load maximum load average. Above two per core, everything takes longer in proportion.
 */
export function allowanceMs(load: number): number {
  return Math.round(sweepMs + slackMs * Math.max(1, load / availableParallelism() / 2));
}

/** A slow response lets faults kill mailers before the settlement. */
const slowestMailMs = 600;

/** Processes of the stack restart when they end. */
export interface ChaosStack {
  /** This pool tolerates a stopped server. */
  readonly pool: pg.Pool;
  readonly redis: Redis;
  readonly process: StackProcess;
  readonly mailbox: Mailbox;
  state(): Promise<ReadyState>;
  programOf(name: OwnService): string;
  logLines(): Promise<string[]>;
  /** Returns the directory with the copied logs. */
  keepLogs(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts two replicas of each service for deliveries and emails, and `api` replicas of the API. */
export async function startChaosStack(
  env: Readonly<Record<string, string>> = {},
  { api = 1, dashboards = 2 }: { readonly api?: number; readonly dashboards?: number } = {},
): Promise<ChaosStack> {
  const mailbox = await openMailbox({ host: '127.0.0.1', beforeAnswer: () => sleep(Math.random() * slowestMailMs) });
  const replicas = ['--workers', '2', '--ingest', '2', '--proxies', '2', '--api', String(api)];
  const process = await startStackProcess({
    args: ['--restart', '--seed', 'empty', '--dashboards', String(dashboards), ...replicas],
    env: { ...settings, SMTP_URL: `smtp://127.0.0.1:${mailbox.smtpPort}`, ...env },
  });
  const first = await process.state();
  const pool = new pg.Pool({
    connectionString: first.databaseUrl,
    max: 4,
    application_name: 'chaos',
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
  });
  pool.on('error', () => undefined);
  const redis = openCommandConnection(first.redisUrl, { commandTimeoutMs: 1_000 });
  return {
    pool,
    redis,
    process,
    mailbox,
    state: process.state,
    programOf: (name) => imageCommand(findKind(name).label).main,
    async logLines() {
      const names = (await readdir(first.logsDirectory)).filter((name) => name.endsWith('.log'));
      const texts = await Promise.all(names.map((name) => readFile(path.join(first.logsDirectory, name), 'utf8')));
      return texts.flatMap((text) => text.split('\n'));
    },
    async keepLogs() {
      const kept = await mkdtemp(path.join(tmpdir(), 'artist-watch-chaos-logs-'));
      await cp(first.logsDirectory, kept, { recursive: true });
      return kept;
    },
    async stop() {
      thawEverything();
      await pool.end().catch(() => undefined);
      redis.disconnect();
      await process.stop();
      await mailbox.stop();
      await rm(path.dirname(process.readyFile), { recursive: true, force: true });
    },
  };
}

export async function untilDataServersAnswer({ pool, redis }: ChaosStack): Promise<void> {
  await until('PostgreSQL to respond', async () => (await pool.query('SELECT 1')).rowCount === 1, 90_000);
  await until('Redis to respond', async () => (await redis.ping()) === 'PONG', 90_000);
}
