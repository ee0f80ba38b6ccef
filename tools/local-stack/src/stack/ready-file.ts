import { rename, writeFile } from 'node:fs/promises';

/** The services of the product, as the ready file calls them. */
export const OWN_SERVICES = ['api', 'changeIngest', 'webhookWorker', 'egressProxy', 'dashboard'] as const;

export type OwnService = (typeof OWN_SERVICES)[number];

/** What a running stack says to tests, benchmarks and people (docs/reference/service.md). */
export interface ReadyState {
  /** The {base_url} of the first replica; ends in `/v1`. */
  readonly apiUrl: string;
  readonly apiUrls: readonly string[];
  /** Of an account on the Business plan. */
  readonly apiKey: string;
  readonly accountId: string;
  /** Ends in `/ingest/v1`. */
  readonly ingestUrl: string;
  /** Of each replica. */
  readonly ingestUrls: readonly string[];
  readonly ingestToken: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly egressProxyUrls: readonly string[];
  readonly platform: string;
  /** The simulator's origin, or the one that was given; null with `--real` alone, for the platform's own. */
  readonly platformUrl: string | null;
  /** Null with `--real` or `PLATFORM_URL`: there is no simulator. */
  readonly platformControlUrl: string | null;
  /** Of the first replica; null with `--dashboards 0`. */
  readonly dashboardUrl: string | null;
  /** Of each replica; they share sessions. */
  readonly dashboardUrls: readonly string[];
  /** Where the mails of this stack are; null with `--dashboards 0` and with `SMTP_URL`. */
  readonly mailboxUrl: string | null;
  /** Who can sign in: the owner of the account. */
  readonly memberEmail: string;
  readonly opsUrls: Readonly<Record<OwnService, readonly string[]>>;
  /** Null for what was given and not started by the stack. */
  readonly pids: Readonly<
    Record<OwnService, readonly number[]> &
      Record<'postgres' | 'redis' | 'mailbox' | 'platformSimulator', number | null>
  >;
  /** The settings with which the CLI and further replicas reach this stack. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the logs are. */
  readonly logsDirectory: string;
}

/** Whoever waits for the file never sees half of it. It holds keys, so only its owner may read it. */
export async function writeReadyFile(file: string, state: ReadyState): Promise<void> {
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}
