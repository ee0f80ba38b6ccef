import type { Labels } from './manifests.js';

/** Values have the notation of promtool's tests, one per minute. Undefined removes a series. */
export type SeriesValues = Readonly<Record<string, string | undefined>>;

export interface Scenario {
  readonly name: string;
  /** Only the differences from a healthy system. */
  readonly series: SeriesValues;
  /** No other alerts may fire. */
  readonly fires: readonly Labels[];
}

export const MINUTES = 60;

/** Series without a namespace belong to this installation. */
export const NAMESPACE = 'artist-watch';

const SERVICES = ['api', 'change-ingest', 'webhook-worker', 'dashboard'] as const;
const POOLS = ['webhooks-1', 'webhooks-2', 'polling'] as const;

const startOf = (service: string, pool?: string) =>
  `process_start_time_seconds{service="${service}"${pool ? `, egress_pool="${pool}"` : ''}}`;

/** One hour of a healthy system, with a few everyday errors. */
export const healthy: SeriesValues = {
  'artist_watch_api_request_seconds_count{method="GET", route="/v1/changes", status="200"}': '0+60000x60',
  'artist_watch_api_request_seconds_count{method="GET", route="/v1/changes", status="404"}': '0+3000x60',
  'artist_watch_api_request_seconds_count{method="GET", route="/v1/changes", status="500"}': '0+6x60',
  // Platform errors are not the API's fault.
  'artist_watch_api_request_seconds_count{method="POST", route="/v1/tools/lookup", status="502"}': '0+600x60',
  'artist_watch_api_request_seconds_bucket{method="GET", route="/v1/changes", le="0.1"}': '0+62000x60',
  'artist_watch_api_request_seconds_bucket{method="GET", route="/v1/changes", le="+Inf"}': '0+62006x60',
  'artist_watch_api_request_seconds_bucket{method="POST", route="/v1/tools/lookup", le="0.1"}': '0x60',
  'artist_watch_api_request_seconds_bucket{method="POST", route="/v1/tools/lookup", le="5"}': '0+3000x60',
  'artist_watch_api_request_seconds_bucket{method="POST", route="/v1/tools/lookup", le="+Inf"}': '0+3000x60',
  'artist_watch_dashboard_request_seconds_count{method="GET", route="/a/:account/changes", status="200"}': '0+6000x60',
  'artist_watch_dashboard_request_seconds_count{method="POST", route="/a/:account/tools/lookup", status="502"}':
    '0+60x60',
  'artist_watch_dashboard_request_seconds_bucket{method="GET", route="/a/:account/changes", le="0.25"}': '0+6000x60',
  'artist_watch_dashboard_request_seconds_bucket{method="GET", route="/a/:account/changes", le="+Inf"}': '0+6000x60',
  'artist_watch_webhook_first_attempt_lag_seconds_bucket{le="30"}': '0+5995x60',
  'artist_watch_webhook_first_attempt_lag_seconds_bucket{le="+Inf"}': '0+6000x60',
  artist_watch_webhook_first_attempt_lag_seconds_count: '0+6000x60',
  artist_watch_poll_overdue_seconds: '30x60',
  'artist_watch_delivery_oldest_due_seconds{place="queue"}': '2x60',
  'artist_watch_delivery_oldest_due_seconds{place="record"}': '1x60',
  'artist_watch_delivery_queue_jobs{state="waiting"}': '50x60',
  'artist_watch_delivery_queue_jobs{state="overdue"}': '0x60',
  'artist_watch_delivery_queue_jobs{state="delayed"}': '9000x60',
  'artist_watch_delivery_queue_jobs{state="active"}': '100x60',
  artist_watch_delivery_database_due: '20x60',
  artist_watch_sweeper_finds_total: '0x60',
  artist_watch_webhook_requests_in_flight: '100x60',
  artist_watch_webhook_request_slots: '256x60',
  'artist_watch_webhook_requests_excluded_total{blame="egress", error="proxy_lost"}': '0+1x60',
  'artist_watch_webhook_requests_excluded_total{blame="internal", error="aborted"}': '3x60',
  'artist_watch_webhook_egress_requests_total{proxy="one:3128", outcome="carried", error=""}': '0+3000x60',
  'artist_watch_webhook_egress_requests_total{proxy="one:3128", outcome="fault", error="proxy_lost"}': '0+1x60',
  'artist_watch_webhook_egress_requests_total{proxy="two:3128", outcome="carried", error=""}': '0+3000x60',
  'artist_watch_egress_tunnels_total{result="opened"}': '0+6000x60',
  'artist_watch_egress_tunnels_total{egress_pool="polling", result="overloaded"}': '0x60',
  'artist_watch_webhook_attempts_total{outcome="succeeded", blame="none"}': '0+5400x60',
  'artist_watch_webhook_attempts_total{outcome="failed", blame="receiver"}': '0+600x60',
  artist_watch_webhook_destinations_switched_off_total: '4x60',
  artist_watch_webhook_deliveries_taken_over_total: '3x60',
  'artist_watch_suspicions_open{state="suspected"}': '12x60',
  'artist_watch_suspicions_open{state="held"}': '0x60',
  artist_watch_platform_pause_seconds: '0x60',
  'artist_watch_platform_requests_total{operation="artist", outcome="ok"}': '0+500x60',
  'artist_watch_platform_requests_total{operation="artist", outcome="not_found"}': '0+200x60',
  'artist_watch_platform_requests_total{operation="artist", outcome="timeout"}': '0+5x60',
  artist_watch_platform_budget_fallbacks_total: '1x60',
  'artist_watch_email_oldest_waiting_seconds{service="dashboard"}': '2x60',
  'artist_watch_ingest_request_seconds_count{route="/ingest/v1/changes", status="202"}': '0+60x60',
  artist_watch_api_rate_limit_fallbacks_total: '100x60',
  'artist_watch_database_pool_waiting{service="api"}': '0x60',
  ...Object.fromEntries(SERVICES.map((service) => [startOf(service), '1795000000x60'])),
  ...Object.fromEntries(POOLS.map((pool) => [startOf('egress-proxy', pool), '1795000000x60'])),
  'artist_watch_database_up{service="api", pod="api-1", pool="reads"}': '1x60',
  'artist_watch_database_up{service="api", pod="api-2", pool="reads"}': '1x60',
  'artist_watch_database_up{service="change-ingest", pod="change-ingest-1", pool="all"}': '1x60',
  'artist_watch_redis_up{service="api", pod="api-1"}': '1x60',
  'artist_watch_redis_up{service="webhook-worker", pod="webhook-worker-1"}': '1x60',
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

const page = (alertname: string, more: Labels = {}): Labels => ({ alertname, severity: 'page', ...more });
const ticket = (alertname: string, more: Labels = {}): Labels => ({ alertname, severity: 'ticket', ...more });
const both = (alertname: string, more?: Labels) => [page(alertname, more), ticket(alertname, more)];

const scenario = (name: string, fires: readonly Labels[], series: SeriesValues): Scenario => ({ name, fires, series });

export const scenarios: readonly Scenario[] = [
  scenario('a healthy system', [], {}),
  scenario('two of a hundred requests fail', both('ApiErrorBudgetBurns'), {
    'artist_watch_api_request_seconds_count{method="GET", route="/v1/changes", status="500"}': '0+1300x60',
  }),
  scenario('four of a thousand requests fail', [ticket('ApiErrorBudgetBurns')], {
    'artist_watch_api_request_seconds_count{method="GET", route="/v1/changes", status="503"}': '0+250x60',
  }),
  scenario('two of a hundred pages fail', both('DashboardErrorBudgetBurns'), {
    'artist_watch_dashboard_request_seconds_count{method="GET", route="/a/:account/changes", status="500"}': '0+120x60',
  }),
  scenario('four of a thousand pages fail', [ticket('DashboardErrorBudgetBurns')], {
    'artist_watch_dashboard_request_seconds_count{method="GET", route="/a/:account/changes", status="503"}': '0+25x60',
  }),
  scenario('one in ten requests of the API takes two seconds', [ticket('ApiIsSlow')], {
    'artist_watch_api_request_seconds_bucket{method="GET", route="/v1/changes", le="0.1"}': '0+55800x60',
    'artist_watch_api_request_seconds_bucket{method="GET", route="/v1/changes", le="2.5"}': '0+62006x60',
  }),
  scenario('one in ten pages takes four seconds', [ticket('DashboardIsSlow')], {
    'artist_watch_dashboard_request_seconds_bucket{method="GET", route="/a/:account/changes", le="0.25"}': '0+5400x60',
    'artist_watch_dashboard_request_seconds_bucket{method="GET", route="/a/:account/changes", le="5"}': '0+6000x60',
  }),
  scenario('a fifth of the first attempts are late', both('FirstAttemptsAreLate'), {
    'artist_watch_webhook_first_attempt_lag_seconds_bucket{le="30"}': '0+4800x60',
  }),
  scenario('four of a hundred first attempts are late', [ticket('FirstAttemptsAreLate')], {
    'artist_watch_webhook_first_attempt_lag_seconds_bucket{le="30"}': '0+5760x60',
  }),
  scenario('an artist is overdue by more than 15 minutes for the whole hour', both('ArtistsAreStale'), {
    artist_watch_poll_overdue_seconds: '1000x60',
  }),
  scenario('artists are overdue for two minutes of the hour', [ticket('ArtistsAreStale')], {
    artist_watch_poll_overdue_seconds: '30x9 1000 1000 30x60',
  }),
  scenario('the workers have stopped taking jobs', [page('DeliveriesWaitInQueue')], {
    'artist_watch_delivery_oldest_due_seconds{place="queue"}': '0+60x60',
  }),
  scenario('the release loop is stuck', [page('DeliveriesWaitInRecord')], {
    'artist_watch_delivery_oldest_due_seconds{place="record"}': '0+60x60',
  }),
  scenario(
    'the backlog cannot be read',
    [page('BacklogUnknown')],
    Object.fromEntries(
      ['waiting', 'overdue', 'delayed', 'active'].map((state) => [
        `artist_watch_delivery_queue_jobs{state="${state}"}`,
        undefined,
      ]),
    ),
  ),
  scenario('Redis was wiped a few minutes ago', [ticket('QueueLostJobs')], {
    artist_watch_sweeper_finds_total: '0x54 5000x5',
  }),
  scenario('every slot is taken', [ticket('WorkersAreFull')], { artist_watch_webhook_requests_in_flight: '250x60' }),
  scenario('a worker was killed during 40 attempts', [ticket('DeliveriesAreRepeated')], {
    artist_watch_webhook_deliveries_taken_over_total: '3x54 43x5',
  }),
  scenario('another worker took over one delivery', [], {
    artist_watch_webhook_deliveries_taken_over_total: '3x54 4x5',
  }),
  scenario('secrets cannot be decrypted', [page('OurFaultInDeliveries', { error: 'internal_error' })], {
    'artist_watch_webhook_requests_excluded_total{blame="internal", error="internal_error"}': '0+60x60',
  }),
  scenario('one of two proxies fails half of its requests', [ticket('EgressProxyFails', { proxy: 'one:3128' })], {
    'artist_watch_webhook_egress_requests_total{proxy="one:3128", outcome="fault", error="proxy_unreachable"}':
      '0+3000x60',
  }),
  scenario(
    'every proxy fails every request',
    [
      page('EgressIsDown'),
      ticket('EgressProxyFails', { proxy: 'one:3128' }),
      ticket('EgressProxyFails', { proxy: 'two:3128' }),
    ],
    Object.fromEntries(
      ['one:3128', 'two:3128'].flatMap((proxy) => [
        [`artist_watch_webhook_egress_requests_total{proxy="${proxy}", outcome="carried", error=""}`, '9000x60'],
        [
          `artist_watch_webhook_egress_requests_total{proxy="${proxy}", outcome="fault", error="proxy_unreachable"}`,
          '0+600x60',
        ],
      ]),
    ),
  ),
  scenario(
    'egress proxies reject tunnels because they are overloaded',
    [ticket('EgressRefusesTunnels', { egress_pool: 'polling', result: 'overloaded' })],
    { 'artist_watch_egress_tunnels_total{egress_pool="polling", result="overloaded"}': '0+60x60' },
  ),
  scenario('most receivers return 403', [ticket('ReceiversFail')], {
    'artist_watch_webhook_attempts_total{outcome="succeeded", blame="none"}': '0+1000x60',
    'artist_watch_webhook_attempts_total{outcome="failed", blame="receiver"}': '0+5000x60',
  }),
  scenario('a destination is switched off every minute', [page('DestinationsAreSwitchedOff')], {
    artist_watch_webhook_destinations_switched_off_total: '0+1x60',
  }),
  scenario('the brake delays three removals', [ticket('RemovalsAreHeld')], {
    'artist_watch_suspicions_open{state="held"}': '0x58 3 3',
  }),
  scenario('the platform repeatedly requires a pause of two minutes', [ticket('PlatformQuotaIsExhausted')], {
    artist_watch_platform_pause_seconds: '120x60',
  }),
  scenario('the platform does not respond', [ticket('PlatformFails')], {
    'artist_watch_platform_requests_total{operation="artist", outcome="timeout"}': '0+500x60',
  }),
  scenario('the shared request budget is lost', [ticket('PlatformBudgetIsNotShared')], {
    artist_watch_platform_budget_fallbacks_total: '1x49 3+2x10',
  }),
  scenario('one request did not use the shared budget a few minutes ago', [], {
    artist_watch_platform_budget_fallbacks_total: '1x56 2x3',
  }),
  scenario('ingest returns 503', [page('IngestRefuses')], {
    'artist_watch_ingest_request_seconds_count{route="/ingest/v1/changes", status="503"}': '0+60x60',
  }),
  scenario('the mail server has been unreachable for half an hour', [ticket('MailsDoNotLeave')], {
    'artist_watch_email_oldest_waiting_seconds{service="dashboard"}': '2x30 0+60x29',
  }),
  ...SERVICES.map((service) =>
    scenario(`no process of ${service} is running`, [page('ServiceIsDown', { service })], {
      [startOf(service)]: undefined,
    }),
  ),
  scenario(
    'all processes of production are down, and those of staging are running, in the same Prometheus',
    [
      ...SERVICES.map((service) => page('ServiceIsDown', { service })),
      page('ServiceIsDown', { service: 'egress-proxy', egress_for: 'polling' }),
      page('ServiceIsDown', { service: 'egress-proxy', egress_for: 'webhooks' }),
    ],
    Object.fromEntries(
      Object.entries(healthy).flatMap(([series, values]) => [
        [series, series.startsWith('process_start') ? undefined : values],
        [inNamespace(series, 'staging'), values],
      ]),
    ),
  ),
  scenario(
    'the pool for polling is down, and both pools for webhooks are running',
    [page('ServiceIsDown', { service: 'egress-proxy', egress_for: 'polling' })],
    { [startOf('egress-proxy', 'polling')]: undefined },
  ),
  scenario(
    'both pools for webhooks are down, and the pool for polling is running',
    [page('ServiceIsDown', { service: 'egress-proxy', egress_for: 'webhooks' })],
    {
      [startOf('egress-proxy', 'webhooks-1')]: undefined,
      [startOf('egress-proxy', 'webhooks-2')]: undefined,
    },
  ),
  scenario('a foreign program in another namespace restarts every minute', [], {
    'process_start_time_seconds{service="shop", namespace="shop"}': '1795000000+60x60',
    'process_open_fds{service="shop", namespace="shop"}': '99x60',
    'process_max_fds{service="shop", namespace="shop"}': '100x60',
    'kube_job_failed{job_name="migrate", condition="true", namespace="shop"}': '1x60',
  }),
  scenario(
    'PostgreSQL has been unreachable for less than two minutes',
    [page('PostgresIsAway')],
    Object.fromEntries(
      Object.keys(healthy)
        .filter((series) => series.startsWith('artist_watch_database_up'))
        .map((series) => [series, '1x58 0 0']),
    ),
  ),
  scenario(
    'PostgreSQL has been unreachable for ten minutes, so the backlog cannot be read',
    [page('PostgresIsAway')],
    Object.fromEntries(
      Object.keys(healthy)
        .filter((series) => /^(artist_watch_database_up|artist_watch_delivery_queue_jobs)/.test(series))
        .map((series) => [series, series.startsWith('artist_watch_database_up') ? '1x49 0x10' : '1x49 _x10']),
    ),
  ),
  scenario(
    'one replica of the API can reach PostgreSQL, and the other cannot',
    [ticket('ProcessWithoutPostgres', { service: 'api', pod: 'api-2' })],
    { 'artist_watch_database_up{service="api", pod="api-2", pool="reads"}': '0x60' },
  ),
  scenario('Redis has been down for less than two minutes', [page('RedisIsDown')], {
    'artist_watch_redis_up{service="api", pod="api-1"}': '1x58 0 0',
    'artist_watch_redis_up{service="webhook-worker", pod="webhook-worker-1"}': '1x58 0 0',
  }),
  scenario('Redis restarts within a minute', [], {
    'artist_watch_redis_up{service="api", pod="api-1"}': '1x58 0 1',
    'artist_watch_redis_up{service="webhook-worker", pod="webhook-worker-1"}': '1x58 0 1',
  }),
  scenario('a new release never becomes ready', [ticket('RolloutIsStuck', { deployment: 'api' })], {
    'kube_deployment_status_condition{deployment="api", condition="Progressing", status="false"}': '0x50 1x9',
  }),
  scenario(
    'a pod repeatedly exits before it reports metrics',
    [ticket('PodsDoNotStart', { pod: 'api-3', container: 'api', reason: 'CrashLoopBackOff' })],
    {
      'kube_pod_container_status_waiting_reason{pod="api-3", container="api", reason="CrashLoopBackOff"}': '1 1 _ 1x57',
    },
  ),
  scenario('a migration has failed', [ticket('MigrationFailed', { job_name: 'migrate' })], {
    'kube_job_failed{job_name="migrate", condition="true"}': '1x60',
  }),
  scenario(
    'an autoscaler is at its maximum',
    [ticket('AutoscalerIsAtItsMaximum', { horizontalpodautoscaler: 'api' })],
    { 'kube_horizontalpodautoscaler_status_current_replicas{horizontalpodautoscaler="api"}': '20x60' },
  ),
  scenario('the ingress does not reach the API, so the API counts no failed request', [page('ApiIsUnreachable')], {
    'probe_success{job="artist-watch-api", instance="https://api"}': '1x50 0x9',
  }),
  scenario('no probe checks the API from outside', [ticket('ApiIsNotProbed')], {
    'probe_success{job="artist-watch-api", instance="https://api"}': undefined,
  }),
  scenario(
    'the certificate of the API expires in ten days',
    [ticket('CertificateExpires', { instance: 'https://api' })],
    {
      'probe_ssl_earliest_cert_expiry{job="artist-watch-api", instance="https://api"}': `${10 * 86_400}x60`,
    },
  ),
  scenario('the certificate of the API expires tomorrow', both('CertificateExpires', { instance: 'https://api' }), {
    'probe_ssl_earliest_cert_expiry{job="artist-watch-api", instance="https://api"}': `${86_400}x60`,
  }),
  scenario(
    'the certificate of the dashboard expires in ten days',
    [ticket('CertificateExpires', { instance: 'https://dashboard' })],
    {
      'probe_ssl_earliest_cert_expiry{job="artist-watch-dashboard", instance="https://dashboard"}': `${10 * 86_400}x60`,
    },
  ),
  scenario('workers restart every minute', [ticket('ServiceRestarts', { service: 'webhook-worker' })], {
    'process_start_time_seconds{service="webhook-worker"}': '1795000000+60x60',
  }),
  scenario('the API cannot reach Redis', [ticket('RateLimitsAreNotShared')], {
    artist_watch_api_rate_limit_fallbacks_total: '0+600x60',
  }),
  scenario('callers wait for a connection to the database', [ticket('DatabasePoolIsFull', { service: 'api' })], {
    'artist_watch_database_pool_waiting{service="api"}': '4x60',
  }),
  scenario(
    'the event loop of a worker is almost always busy',
    [ticket('EventLoopIsBusy', { service: 'webhook-worker' })],
    {
      'nodejs_eventloop_active_seconds_total{service="webhook-worker"}': '0+58x60',
    },
  ),
  scenario(
    'an egress proxy has few file descriptors left',
    [page('FileDescriptorsRunOut', { service: 'egress-proxy' })],
    { 'process_max_fds{service="egress-proxy"}': '2100x60' },
  ),
];

export function seriesOf(scenario: Scenario): readonly (readonly [notation: string, values: string])[] {
  return Object.entries({ ...healthy, ...scenario.series })
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([series, values]) => [inNamespace(series, NAMESPACE), values]);
}

export function inNamespace(series: string, namespace: string): string {
  if (series.includes('namespace="')) return series;
  const [name = '', labels = ''] = series.split(/[{}]/);
  return `${name}{${labels && `${labels}, `}namespace="${namespace}"}`;
}
