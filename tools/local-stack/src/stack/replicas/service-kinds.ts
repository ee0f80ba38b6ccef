import type { StackOptions } from '../options.js';
import type { OwnService } from '../ready-file.js';

export type ServiceName = OwnService | 'platformSimulator' | 'mailbox';

export interface ServiceKind {
  readonly name: ServiceName;
  readonly label: string;
  /** Maps each port setting to the name of its address in the ready file. */
  readonly ports: Readonly<Record<string, string>>;
  replicas(options: StackOptions): number;
}

function kind(
  name: ServiceName,
  label: string,
  ports: Readonly<Record<string, string>>,
  replicas: (of: StackOptions['replicas']) => number,
): ServiceKind {
  return { name, label, ports, replicas: (options) => replicas(options.replicas) };
}

const OPS = { OPS_PORT: 'ops' };

/** Services start in this order and stop in reverse order. */
export const serviceKinds: readonly ServiceKind[] = [
  kind(
    'platformSimulator',
    'platform-simulator',
    { SIMULATOR_PORT: 'platform', SIMULATOR_CONTROL_PORT: 'control' },
    () => 1,
  ),
  kind('mailbox', 'mailbox', { MAILBOX_SMTP_PORT: 'smtp', MAILBOX_PORT: 'mailbox' }, ({ dashboards }) =>
    Math.min(1, dashboards),
  ),
  kind('egressProxy', 'egress-proxy', { EGRESS_PORT: 'egress', ...OPS }, ({ proxies }) => proxies),
  kind('webhookWorker', 'webhook-worker', OPS, ({ workers }) => workers),
  kind('changeIngest', 'change-ingest', { INGEST_PORT: 'ingest', ...OPS }, ({ ingest }) => ingest),
  kind('api', 'api', { API_PORT: 'api', ...OPS }, ({ api }) => api),
  kind('dashboard', 'dashboard', { DASHBOARD_PORT: 'dashboard', ...OPS }, ({ dashboards }) => dashboards),
];

export function findKind(name: ServiceName): ServiceKind {
  const found = serviceKinds.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`There is no service ${name}.`);
  return found;
}
