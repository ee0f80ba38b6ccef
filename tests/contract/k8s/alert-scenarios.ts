import type { Labels } from './manifests.js';

/** Series in the notation of promtool's tests, a value each minute; undefined takes one away. */
export type SeriesValues = Readonly<Record<string, string | undefined>>;

export interface Scenario {
  readonly name: string;
  /** What is not as in a healthy system. */
  readonly series: SeriesValues;
  /** Exactly these fire at the end. */
  readonly fires: readonly Labels[];
}

export const MINUTES = 60;

/** Of the installation that an alert is about; of every series that says nothing else. */
export const NAMESPACE = 'artist-watch';

const SERVICES = ['api', 'change-ingest', 'webhook-worker', 'dashboard'] as const;
const POOLS = ['webhooks-1', 'webhooks-2', 'polling'] as const;

const startOf = (service: string, pool?: string) =>
  `process_start_time_seconds{service="${service}"${pool ? `, egress_pool="${pool}"` : ''}}`;

/** An hour of a system that is well, with a little of the trouble that every day has. */
export const healthy: SeriesValues = {
  'api_request_seconds_count{method="GET", route="/v1/changes", status="200"}': '0+60000x60',
  'api_request_seconds_count{method="GET", route="/v1/changes", status="404"}': '0+3000x60',
  'api_request_seconds_count{method="GET", route="/v1/changes", status="500"}': '0+6x60',
  // The platform's failures are no fault of the API.
  'api_request_seconds_count{method="POST", route="/v1/tools/lookup", status="502"}': '0+600x60',
  'webhook_first_attempt_lag_seconds_bucket{le="30"}': '0+5995x60',
  'webhook_first_attempt_lag_seconds_bucket{le="+Inf"}': '0+6000x60',
  webhook_first_attempt_lag_seconds_count: '0+6000x60',
  poll_overdue_seconds: '30x60',
  'delivery_oldest_due_seconds{place="queue"}': '2x60',
  'delivery_oldest_due_seconds{place="record"}': '1x60',
  'delivery_queue_jobs{state="waiting"}': '50x60',
  'delivery_queue_jobs{state="overdue"}': '0x60',
  'delivery_queue_jobs{state="delayed"}': '9000x60',
  'delivery_queue_jobs{state="active"}': '100x60',
  'delivery_queue_shard_up{shard="0"}': '1x60',
  'delivery_queue_shard_up{shard="1"}': '1x60',
  delivery_record_due: '20x60',
  sweeper_finds_total: '0x60',
  webhook_requests_in_flight: '100x60',
  webhook_request_slots: '256x60',
  'webhook_requests_excluded_total{blame="egress", error="proxy_lost"}': '0+1x60',
  'webhook_requests_excluded_total{blame="internal", error="aborted"}': '3x60',
  'webhook_egress_requests_total{proxy="one:3128", outcome="carried", error=""}': '0+3000x60',
  'webhook_egress_requests_total{proxy="one:3128", outcome="fault", error="proxy_lost"}': '0+1x60',
  'webhook_egress_requests_total{proxy="two:3128", outcome="carried", error=""}': '0+3000x60',
  'egress_tunnels_total{result="opened"}': '0+6000x60',
  'egress_tunnels_total{egress_pool="polling", result="overloaded"}': '0x60',
  'webhook_attempts_total{outcome="succeeded", blame="none"}': '0+5400x60',
  'webhook_attempts_total{outcome="failed", blame="receiver"}': '0+600x60',
  webhook_destinations_switched_off_total: '4x60',
  'suspicions_open{state="suspected"}': '12x60',
  'suspicions_open{state="held"}': '0x60',
  platform_pause_seconds: '0x60',
  'platform_requests_total{operation="artist", outcome="ok"}': '0+500x60',
  'platform_requests_total{operation="artist", outcome="not_found"}': '0+200x60',
  'platform_requests_total{operation="artist", outcome="timeout"}': '0+5x60',
  platform_budget_fallbacks_total: '1x60',
  'mail_oldest_waiting_seconds{service="dashboard"}': '2x60',
  'ingest_request_seconds_count{route="/ingest/v1/changes", status="202"}': '0+60x60',
  api_rate_limit_fallbacks_total: '100x60',
  'database_pool_waiting{service="api"}': '0x60',
  ...Object.fromEntries(SERVICES.map((service) => [startOf(service), '1795000000x60'])),
  ...Object.fromEntries(POOLS.map((pool) => [startOf('egress-proxy', pool), '1795000000x60'])),
  'database_up{service="api", pod="api-1", pool="reads"}': '1x60',
  'database_up{service="api", pod="api-2", pool="reads"}': '1x60',
  'database_up{service="change-ingest", pod="change-ingest-1", pool="all"}': '1x60',
  'kube_deployment_status_condition{deployment="api", condition="Progressing", status="false"}': '0x60',
  'kube_pod_container_status_waiting_reason{pod="api-1", container="api", reason="ContainerCreating"}': '1 0x59',
  'kube_job_failed{job_name="migrate", condition="true"}': '0x60',
  'kube_horizontalpodautoscaler_status_current_replicas{horizontalpodautoscaler="api"}': '3x60',
  'kube_horizontalpodautoscaler_spec_max_replicas{horizontalpodautoscaler="api"}': '20x60',
  'probe_success{job="artist-watch-api", instance="https://api"}': '1x60',
  'probe_ssl_earliest_cert_expiry{job="artist-watch-api", instance="https://api"}': `${60 * 86_400}x60`,
  'probe_ssl_earliest_cert_expiry{job="artist-watch-dashboard", instance="https://dashboard"}': `${60 * 86_400}x60`,
  'nodejs_eventloop_active_seconds_total{service="webhook-worker"}': '0+18x60',
  'process_open_fds{service="egress-proxy"}': '2000x60',
  'process_max_fds{service="egress-proxy"}': '1048576x60',
};

const one = (alertname: string, severity: 'page' | 'ticket', more: Labels = {}): Labels => ({
  alertname,
  severity,
  ...more,
});
const both = (alertname: string) => [one(alertname, 'page'), one(alertname, 'ticket')];

export const scenarios: readonly Scenario[] = [
  { name: 'a healthy system', series: {}, fires: [] },
  {
    name: 'two of a hundred requests fail',
    series: { 'api_request_seconds_count{method="GET", route="/v1/changes", status="500"}': '0+1300x60' },
    fires: both('ApiErrorBudgetBurns'),
  },
  {
    name: 'four of a thousand requests fail',
    series: { 'api_request_seconds_count{method="GET", route="/v1/changes", status="503"}': '0+250x60' },
    fires: [one('ApiErrorBudgetBurns', 'ticket')],
  },
  {
    name: 'a fifth of the first attempts is late',
    series: { 'webhook_first_attempt_lag_seconds_bucket{le="30"}': '0+4800x60' },
    fires: both('FirstAttemptsAreLate'),
  },
  {
    name: 'four of a hundred first attempts are late',
    series: { 'webhook_first_attempt_lag_seconds_bucket{le="30"}': '0+5760x60' },
    fires: [one('FirstAttemptsAreLate', 'ticket')],
  },
  {
    name: 'an artist has been due for longer than a quarter of an hour all the time',
    series: { poll_overdue_seconds: '1000x60' },
    fires: both('ArtistsAreStale'),
  },
  {
    name: 'artists were overdue for two minutes of an hour',
    series: { poll_overdue_seconds: '30x9 1000 1000 30x60' },
    fires: [one('ArtistsAreStale', 'ticket')],
  },
  {
    name: 'no worker takes jobs',
    series: { 'delivery_oldest_due_seconds{place="queue"}': '0+60x60' },
    fires: [one('DeliveriesWaitInQueue', 'page')],
  },
  {
    name: 'the relay is stuck',
    series: { 'delivery_oldest_due_seconds{place="record"}': '0+60x60' },
    fires: [one('DeliveriesWaitInRecord', 'page')],
  },
  {
    name: 'the backlog cannot be read',
    series: Object.fromEntries(
      ['waiting', 'overdue', 'delayed', 'active'].map((state) => [`delivery_queue_jobs{state="${state}"}`, undefined]),
    ),
    fires: [one('BacklogUnknown', 'page')],
  },
  {
    name: 'one Redis of several is away',
    series: { 'delivery_queue_shard_up{shard="1"}': '1x50 0x9' },
    fires: [one('QueueShardIsAway', 'page', { shard: '1' })],
  },
  {
    name: 'Redis was wiped a few minutes ago',
    series: { sweeper_finds_total: '0x54 5000x5' },
    fires: [one('QueueLostJobs', 'ticket')],
  },
  {
    name: 'every slot is taken',
    series: { webhook_requests_in_flight: '250x60' },
    fires: [one('WorkersAreFull', 'ticket')],
  },
  {
    name: 'secrets cannot be opened',
    series: { 'webhook_requests_excluded_total{blame="internal", error="internal_error"}': '0+60x60' },
    fires: [one('OurFaultInDeliveries', 'page', { error: 'internal_error' })],
  },
  {
    name: 'one of two proxies fails half of its requests',
    series: {
      'webhook_egress_requests_total{proxy="one:3128", outcome="fault", error="proxy_unreachable"}': '0+3000x60',
    },
    fires: [one('EgressProxyFails', 'ticket', { proxy: 'one:3128' })],
  },
  {
    name: 'every proxy fails every request',
    series: Object.fromEntries(
      ['one:3128', 'two:3128'].flatMap((proxy) => [
        [`webhook_egress_requests_total{proxy="${proxy}", outcome="carried", error=""}`, '9000x60'],
        [`webhook_egress_requests_total{proxy="${proxy}", outcome="fault", error="proxy_unreachable"}`, '0+600x60'],
      ]),
    ),
    fires: [
      one('EgressIsDown', 'page'),
      one('EgressProxyFails', 'ticket', { proxy: 'one:3128' }),
      one('EgressProxyFails', 'ticket', { proxy: 'two:3128' }),
    ],
  },
  {
    name: 'egress proxies are full',
    series: { 'egress_tunnels_total{egress_pool="polling", result="overloaded"}': '0+60x60' },
    fires: [one('EgressRefusesTunnels', 'ticket', { egress_pool: 'polling', result: 'overloaded' })],
  },
  {
    name: 'most receivers answer 403',
    series: {
      'webhook_attempts_total{outcome="succeeded", blame="none"}': '0+1000x60',
      'webhook_attempts_total{outcome="failed", blame="receiver"}': '0+5000x60',
    },
    fires: [one('ReceiversFail', 'ticket')],
  },
  {
    name: 'a destination is switched off every minute',
    series: { webhook_destinations_switched_off_total: '0+1x60' },
    fires: [one('DestinationsAreSwitchedOff', 'page')],
  },
  {
    name: 'the brake holds three removals',
    series: { 'suspicions_open{state="held"}': '0x58 3 3' },
    fires: [one('RemovalsAreHeld', 'ticket')],
  },
  {
    name: 'the platform asks for a pause of two minutes again and again',
    series: { platform_pause_seconds: '120x60' },
    fires: [one('PlatformQuotaIsExhausted', 'ticket')],
  },
  {
    name: 'the platform does not answer',
    series: { 'platform_requests_total{operation="artist", outcome="timeout"}': '0+500x60' },
    fires: [one('PlatformFails', 'ticket')],
  },
  {
    name: 'the shared request budget is lost',
    series: { platform_budget_fallbacks_total: '1x55 3x4' },
    fires: [one('PlatformBudgetIsNotShared', 'ticket')],
  },
  {
    name: 'ingest answers 503',
    series: { 'ingest_request_seconds_count{route="/ingest/v1/changes", status="503"}': '0+60x60' },
    fires: [one('IngestRefuses', 'page')],
  },
  {
    name: 'the mail server has been away for half an hour',
    series: { 'mail_oldest_waiting_seconds{service="dashboard"}': '2x30 0+60x29' },
    fires: [one('MailsDoNotLeave', 'ticket')],
  },
  ...SERVICES.map((service) => ({
    name: `no process of ${service} is there`,
    series: { [startOf(service)]: undefined },
    fires: [one('ServiceIsDown', 'page', { service })],
  })),
  {
    name: 'no process of production is there, and all of staging is, in the same Prometheus',
    series: Object.fromEntries(
      Object.entries(healthy).flatMap(([series, values]) => [
        [series, series.startsWith('process_start') ? undefined : values],
        [inNamespace(series, 'staging'), values],
      ]),
    ),
    fires: [
      ...SERVICES.map((service) => one('ServiceIsDown', 'page', { service })),
      one('ServiceIsDown', 'page', { service: 'egress-proxy', egress_for: 'polling' }),
      one('ServiceIsDown', 'page', { service: 'egress-proxy', egress_for: 'webhooks' }),
    ],
  },
  {
    name: 'the pool for polling is gone, and those for webhooks are there',
    series: { [startOf('egress-proxy', 'polling')]: undefined },
    fires: [one('ServiceIsDown', 'page', { service: 'egress-proxy', egress_for: 'polling' })],
  },
  {
    name: 'both pools for webhooks are gone, and the one for polling is there',
    series: {
      [startOf('egress-proxy', 'webhooks-1')]: undefined,
      [startOf('egress-proxy', 'webhooks-2')]: undefined,
    },
    fires: [one('ServiceIsDown', 'page', { service: 'egress-proxy', egress_for: 'webhooks' })],
  },
  {
    name: 'another program of another namespace restarts all the time',
    series: {
      'process_start_time_seconds{service="shop", namespace="shop"}': '1795000000+60x60',
      'process_open_fds{service="shop", namespace="shop"}': '99x60',
      'process_max_fds{service="shop", namespace="shop"}': '100x60',
      'kube_job_failed{job_name="migrate", condition="true", namespace="shop"}': '1x60',
    },
    fires: [],
  },
  {
    name: 'PostgreSQL has been away for less than two minutes',
    series: Object.fromEntries(
      Object.keys(healthy)
        .filter((series) => series.startsWith('database_up'))
        .map((series) => [series, '1x58 0 0']),
    ),
    fires: [one('PostgresIsAway', 'page')],
  },
  {
    name: 'PostgreSQL has been away for ten minutes, so nobody can read the backlog',
    series: Object.fromEntries(
      Object.keys(healthy)
        .filter((series) => /^(database_up|delivery_queue_jobs)/.test(series))
        .map((series) => [series, series.startsWith('database_up') ? '1x49 0x10' : '1x49 _x10']),
    ),
    fires: [one('PostgresIsAway', 'page')],
  },
  {
    name: 'PostgreSQL answers one replica of the API, and not the other',
    series: { 'database_up{service="api", pod="api-2", pool="reads"}': '0x60' },
    fires: [one('ProcessWithoutPostgres', 'ticket', { service: 'api', pod: 'api-2' })],
  },
  {
    name: 'a new release never becomes ready',
    series: {
      'kube_deployment_status_condition{deployment="api", condition="Progressing", status="false"}': '0x50 1x9',
    },
    fires: [one('RolloutIsStuck', 'ticket', { deployment: 'api' })],
  },
  {
    name: 'a pod ends before it reports metrics, again and again',
    series: {
      'kube_pod_container_status_waiting_reason{pod="api-3", container="api", reason="CrashLoopBackOff"}': '1 1 _ 1x57',
    },
    fires: [one('PodsDoNotStart', 'ticket', { pod: 'api-3', container: 'api', reason: 'CrashLoopBackOff' })],
  },
  {
    name: 'a migration has failed',
    series: { 'kube_job_failed{job_name="migrate", condition="true"}': '1x60' },
    fires: [one('MigrationFailed', 'ticket', { job_name: 'migrate' })],
  },
  {
    name: 'an autoscaler is at its maximum',
    series: { 'kube_horizontalpodautoscaler_status_current_replicas{horizontalpodautoscaler="api"}': '20x60' },
    fires: [one('AutoscalerIsAtItsMaximum', 'ticket', { horizontalpodautoscaler: 'api' })],
  },
  {
    name: 'the ingress leads nowhere, so the API itself counts no failed request',
    series: { 'probe_success{job="artist-watch-api", instance="https://api"}': '1x50 0x9' },
    fires: [one('ApiIsUnreachable', 'page')],
  },
  {
    name: 'nobody looks at the API from outside',
    series: { 'probe_success{job="artist-watch-api", instance="https://api"}': undefined },
    fires: [one('ApiIsNotProbed', 'ticket')],
  },
  {
    name: 'the certificate of the API expires in ten days',
    series: {
      'probe_ssl_earliest_cert_expiry{job="artist-watch-api", instance="https://api"}': `${10 * 86_400}x60`,
    },
    fires: [one('CertificateExpires', 'ticket', { instance: 'https://api' })],
  },
  {
    name: 'the certificate of the API expires tomorrow',
    series: { 'probe_ssl_earliest_cert_expiry{job="artist-watch-api", instance="https://api"}': `${86_400}x60` },
    fires: both('CertificateExpires').map((labels) => ({ ...labels, instance: 'https://api' })),
  },
  {
    name: 'the certificate of the dashboard expires in ten days',
    series: {
      'probe_ssl_earliest_cert_expiry{job="artist-watch-dashboard", instance="https://dashboard"}': `${10 * 86_400}x60`,
    },
    fires: [one('CertificateExpires', 'ticket', { instance: 'https://dashboard' })],
  },
  {
    name: 'workers restart every minute',
    series: { 'process_start_time_seconds{service="webhook-worker"}': '1795000000+60x60' },
    fires: [one('ServiceRestarts', 'ticket', { service: 'webhook-worker' })],
  },
  {
    name: 'the API cannot reach Redis',
    series: { api_rate_limit_fallbacks_total: '0+600x60' },
    fires: [one('RateLimitsAreNotShared', 'ticket')],
  },
  {
    name: 'callers wait for a connection to the database',
    series: { 'database_pool_waiting{service="api"}': '4x60' },
    fires: [one('DatabasePoolIsFull', 'ticket', { service: 'api' })],
  },
  {
    name: 'a worker computes without a rest',
    series: { 'nodejs_eventloop_active_seconds_total{service="webhook-worker"}': '0+58x60' },
    fires: [one('EventLoopIsBusy', 'ticket', { service: 'webhook-worker' })],
  },
  {
    name: 'an egress proxy has few file descriptors left',
    series: { 'process_max_fds{service="egress-proxy"}': '2100x60' },
    fires: [one('FileDescriptorsRunOut', 'page', { service: 'egress-proxy' })],
  },
];

/** The series of a scenario: those of the healthy system, with what is different. */
export function seriesOf(scenario: Scenario): readonly (readonly [notation: string, values: string])[] {
  return Object.entries({ ...healthy, ...scenario.series })
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([series, values]) => [inNamespace(series, NAMESPACE), values]);
}

/** The series, of that namespace unless it names one. */
export function inNamespace(series: string, namespace: string): string {
  if (series.includes('namespace="')) return series;
  const [name = '', labels = ''] = series.split(/[{}]/);
  return `${name}{${labels && `${labels}, `}namespace="${namespace}"}`;
}
