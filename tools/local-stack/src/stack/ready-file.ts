import { rename, writeFile } from 'node:fs/promises';

export const OWN_SERVICES = ['api', 'changeIngest', 'webhookWorker', 'egressProxy', 'dashboard'] as const;

export type OwnService = (typeof OWN_SERVICES)[number];

/** Read by tests, benchmarks and people (docs/reference/service.md). */
export interface ReadyState {
  /** URL of the first replica, ending in `/v1`. */
  readonly apiUrl: string;
  readonly apiUrls: readonly string[];
  readonly apiKey: string;
  readonly accountId: string;
  /** Ends in `/ingest/v1`. */
  readonly ingestUrl: string;
  /** One per replica. */
  readonly ingestUrls: readonly string[];
  readonly ingestToken: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly egressProxyUrls: readonly string[];
  readonly platform: string;
  /** The simulator's origin, or PLATFORM_URL. Null with `--real` if PLATFORM_URL isn't set. */
  readonly platformUrl: string | null;
  /** Null with `--real` or `PLATFORM_URL`, because no simulator is started then. */
  readonly platformControlUrl: string | null;
  /** Null with `--dashboards 0`. */
  readonly dashboardUrl: string | null;
  readonly dashboardUrls: readonly string[];
  /** Shows this stack's emails. Null with `--dashboards 0` or `SMTP_URL`. */
  readonly mailboxUrl: string | null;
  /** The account's owner can sign in with this address. */
  readonly memberEmail: string;
  readonly opsUrls: Readonly<Record<OwnService, readonly string[]>>;
  /** Null for servers that the stack didn't start. */
  readonly pids: Readonly<
    Record<OwnService, readonly number[]> &
      Record<'postgres' | 'redis' | 'mailbox' | 'platformSimulator', number | null>
  >;
  /** Settings for the CLI and for additional replicas. */
  readonly env: Readonly<Record<string, string>>;
  readonly logsDirectory: string;
}

/** Only readable by the file's owner, because it contains keys. */
export async function writeReadyFile(file: string, state: ReadyState): Promise<void> {
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}
