import { readConfig as readApiConfig } from '@artist-watch/api/config';
import { readConfig as readIngestConfig } from '@artist-watch/change-ingest/config';
import { readConfig as readDashboardConfig } from '@artist-watch/dashboard/config';
import { readConfig as readEgressConfig } from '@artist-watch/egress-proxy/config';
import { readConfig as readWorkerConfig } from '@artist-watch/webhook-worker/config';
import { type Container, type Manifest, programOf, type Workload } from './manifests.js';

const services = ['api', 'change-ingest', 'webhook-worker', 'dashboard', 'egress-proxy'];

export function isService(workload: Workload): boolean {
  return services.includes(programOf(workload) ?? '');
}

export const sampleSecrets = {
  DATABASE_URL: 'postgresql://user:password@db/name',
  REDIS_URL: 'redis://redis',
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  ENCRYPTION_KEYS_RETIRED: Buffer.alloc(32, 1).toString('base64'),
  INGEST_TOKEN: 'token-of-ingest-from-some-secret-store',
  SMTP_URL: 'smtp://user:password@mail:587',
  SPOTIFY_CLIENT_ID: 'id',
  SPOTIFY_CLIENT_SECRET: 'secret',
} as const;

/** Each secret has a sample value. */
export function environmentOf(container: Container, manifests: readonly Manifest[]): Record<string, string> {
  const fromMaps = (container.envFrom ?? []).flatMap(({ configMapRef }) => {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name);
    if (!map) throw new Error(`There is no ConfigMap ${configMapRef?.name}.`);
    return Object.entries(map.data ?? {});
  });
  const own = (container.env ?? []).map(({ name, value, valueFrom }) => {
    const key = valueFrom?.secretKeyRef?.key;
    return [
      name,
      key === undefined ? (value ?? '') : (sampleSecrets[key as keyof typeof sampleSecrets] ?? ''),
    ] as const;
  });
  return Object.fromEntries([...fromMaps, ...own]);
}

export interface ServiceTimes {
  readonly ports: Readonly<Record<string, number>>;
  readonly shutdownDeadlineMs: number;
  /** How long the program keeps serving after SIGTERM. */
  readonly shutdownDelayMs: number;
}

/** @throws SettingsError, like the program. */
export function readConfigOf(workload: Workload, environment: Record<string, string>): ServiceTimes {
  switch (programOf(workload)) {
    case 'api': {
      const config = readApiConfig(environment);
      return { ports: { http: config.API_PORT, ops: config.OPS_PORT }, ...stopOf(config) };
    }
    case 'change-ingest': {
      const config = readIngestConfig(environment);
      return { ports: { ingest: config.INGEST_PORT, ops: config.OPS_PORT }, ...stopOf(config) };
    }
    case 'dashboard': {
      const config = readDashboardConfig(environment);
      return { ports: { http: config.DASHBOARD_PORT, ops: config.OPS_PORT }, ...stopOf(config) };
    }
    case 'webhook-worker': {
      const config = readWorkerConfig(environment);
      // The program has no clients.
      return { ports: { ops: config.OPS_PORT }, ...stopOf({ ...config, SHUTDOWN_DELAY: 0 }) };
    }
    default: {
      const config = readEgressConfig(environment);
      return { ports: { proxy: config.EGRESS_PORT, ops: config.OPS_PORT }, ...stopOf(config) };
    }
  }
}

function stopOf(config: { readonly SHUTDOWN_DEADLINE: number; readonly SHUTDOWN_DELAY: number }) {
  return { shutdownDeadlineMs: config.SHUTDOWN_DEADLINE, shutdownDelayMs: config.SHUTDOWN_DELAY };
}

/** When 90% of the deadline has passed, the remaining work is aborted (packages/runtime/src/lifecycle). */
export function timeToEndMs({ shutdownDeadlineMs, shutdownDelayMs }: Omit<ServiceTimes, 'ports'>): number {
  return shutdownDeadlineMs * 0.9 - shutdownDelayMs;
}

/**
 * Allows time for the tunnel, handshake and response, and one failed proxy (services/webhook-worker/src/compose.ts).
 */
export function longestAttemptMs({ WEBHOOK_TIMEOUT }: { readonly WEBHOOK_TIMEOUT: number }): number {
  return Math.max(WEBHOOK_TIMEOUT, 10_000) + WEBHOOK_TIMEOUT + 2_000;
}

export function secretNames({ env = [], envFrom = [] }: Container): string[] {
  return [
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ...envFrom.map(({ secretRef }) => secretRef?.name),
  ].filter((name) => name !== undefined);
}
