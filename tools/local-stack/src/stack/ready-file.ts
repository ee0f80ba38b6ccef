import { rename, writeFile } from 'node:fs/promises';

/** The product's services, by the names that the ready file uses. */
export const OWN_SERVICES = ['api', 'changeIngest', 'webhookWorker', 'egressProxy', 'dashboard'] as const;

export type OwnService = (typeof OWN_SERVICES)[number];

/** The contents of the ready file, which tests, benchmarks and people read (docs/reference/service.md). */
export interface ReadyState {
  /** The {base_url} of the first API replica. It ends in `/v1`. */
  readonly apiUrl: string;
  readonly apiUrls: readonly string[];
  /** API key of an account on the Business plan. */
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
  /** The simulator's origin, or PLATFORM_URL. Null with `--real` and no PLATFORM_URL. */
  readonly platformUrl: string | null;
  /** URL of the simulator's control API. Null with `--real` or `PLATFORM_URL`, because those do not start a simulator. */
  readonly platformControlUrl: string | null;
  /** URL of the first dashboard replica. Null with `--dashboards 0`. */
  readonly dashboardUrl: string | null;
  /** URLs of all dashboard replicas. They share sessions. */
  readonly dashboardUrls: readonly string[];
  /** URL of the page with this stack's emails. Null with `--dashboards 0` or `SMTP_URL`. */
  readonly mailboxUrl: string | null;
  /** Email address of the account's owner, who can sign in. */
  readonly memberEmail: string;
  readonly opsUrls: Readonly<Record<OwnService, readonly string[]>>;
  /** Process ids. A server that the stack did not start has null. */
  readonly pids: Readonly<
    Record<OwnService, readonly number[]> &
      Record<'postgres' | 'redis' | 'mailbox' | 'platformSimulator', number | null>
  >;
  /** Settings for the CLI and for additional replicas of this stack. */
  readonly env: Readonly<Record<string, string>>;
  readonly logsDirectory: string;
}

/** Writes the file atomically. Only its owner may read it, because it contains keys. */
export async function writeReadyFile(file: string, state: ReadyState): Promise<void> {
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}
