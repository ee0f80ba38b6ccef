import type { StackOptions } from '../options.js';

/** The parts of the house that run as processes of their own, as the ready file calls them. */
export type ServiceName =
  | 'egressProxy'
  | 'platformSimulator'
  | 'mailbox'
  | 'changeIngest'
  | 'webhookWorker'
  | 'api'
  | 'dashboard';

export interface ServiceKind {
  readonly name: ServiceName;
  /** As it calls itself. */
  readonly label: string;
  /** Relative to the checkout. */
  readonly main: string;
  /** The setting of each port that it listens on, and what the ready file calls the address. */
  readonly ports: Readonly<Record<string, string>>;
  replicas(options: StackOptions): number;
}

/** In the order in which they start; they stop in the opposite one. */
export const serviceKinds: readonly ServiceKind[] = [
  {
    name: 'platformSimulator',
    label: 'platform-simulator',
    main: 'tools/platform-simulator/dist/main.js',
    ports: { SIMULATOR_PORT: 'platform', SIMULATOR_CONTROL_PORT: 'control' },
    replicas: () => 1,
  },
  {
    name: 'mailbox',
    label: 'mailbox',
    main: 'tools/mailbox/dist/main.js',
    ports: { MAILBOX_SMTP_PORT: 'smtp', MAILBOX_PORT: 'mailbox' },
    replicas: (options) => Math.min(1, options.replicas.dashboards),
  },
  {
    name: 'egressProxy',
    label: 'egress-proxy',
    main: 'services/egress-proxy/dist/main.js',
    ports: { EGRESS_PORT: 'egress', OPS_PORT: 'ops' },
    replicas: (options) => options.replicas.proxies,
  },
  {
    name: 'webhookWorker',
    label: 'webhook-worker',
    main: 'services/webhook-worker/dist/main.js',
    ports: { OPS_PORT: 'ops' },
    replicas: (options) => options.replicas.workers,
  },
  {
    name: 'changeIngest',
    label: 'change-ingest',
    main: 'services/change-ingest/dist/main.js',
    ports: { INGEST_PORT: 'ingest', OPS_PORT: 'ops' },
    replicas: (options) => options.replicas.ingest,
  },
  {
    name: 'api',
    label: 'api',
    main: 'services/api/dist/main.js',
    ports: { API_PORT: 'api', OPS_PORT: 'ops' },
    replicas: (options) => options.replicas.api,
  },
  {
    name: 'dashboard',
    label: 'dashboard',
    main: 'services/dashboard/dist/main.js',
    ports: { DASHBOARD_PORT: 'dashboard', OPS_PORT: 'ops' },
    replicas: (options) => options.replicas.dashboards,
  },
];
