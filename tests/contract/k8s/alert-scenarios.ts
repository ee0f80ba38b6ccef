import type { Labels } from './manifests.js';

/** Series in the notation of promtool's tests, a value each minute; undefined takes one away. */
type SeriesValues = Readonly<Record<string, string | undefined>>;

export interface Scenario {
  readonly name: string;
  /** What is not as in a healthy system. */
  readonly series: SeriesValues;
  /** Exactly these fire at the end. */
  readonly fires: readonly Labels[];
}

export const MINUTES = 60;

const SERVICES = ['api', 'change-ingest', 'webhook-worker', 'egress-proxy'] as const;

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
  'webhook_requests_forgiven_total{blame="egress", error="proxy_lost"}': '0+1x60',
  'webhook_requests_forgiven_total{blame="internal", error="aborted"}': '3x60',
  'webhook_egress_requests_total{proxy="one:3128", outcome="carried", error=""}': '0+3000x60',
  'webhook_egress_requests_total{proxy="one:3128", outcome="fault", error="proxy_lost"}': '0+1x60',
  'webhook_egress_requests_total{proxy="two:3128", outcome="carried", error=""}': '0+3000x60',
  'egress_tunnels_total{result="opened"}': '0+6000x60',
  'egress_tunnels_total{result="overloaded"}': '0x60',
  'webhook_attempts_total{outcome="succeeded", blame="none"}': '0+5400x60',
  'webhook_attempts_total{outcome="failed", blame="receiver"}': '0+600x60',
  webhook_destinations_switched_off_total: '4x60',
  'suspicions_open{state="suspected"}': '12x60',
  'suspicions_open{state="held"}': '0x60',
  snapshot_chains_broken_total: '2x60',
  platform_pause_seconds: '0x60',
  'platform_requests_total{operation="artist", outcome="ok"}': '0+500x60',
  'platform_requests_total{operation="artist", outcome="not_found"}': '0+200x60',
  'platform_requests_total{operation="artist", outcome="timeout"}': '0+5x60',
  platform_budget_fallbacks_total: '1x60',
  'ingest_request_seconds_count{route="/ingest/v1/changes", status="202"}': '0+60x60',
  api_rate_limit_fallbacks_total: '100x60',
  'database_pool_waiting{service="api"}': '0x60',
  ...Object.fromEntries(
    SERVICES.map((service) => [`process_start_time_seconds{service="${service}"}`, '1795000000x60']),
  ),
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
    series: { 'webhook_requests_forgiven_total{blame="internal", error="internal_error"}': '0+60x60' },
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
    series: { 'egress_tunnels_total{result="overloaded"}': '0+60x60' },
    fires: [one('EgressRefusesTunnels', 'ticket', { result: 'overloaded' })],
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
    name: 'somebody removed a kept snapshot half an hour ago',
    series: { snapshot_chains_broken_total: '2x30 3x29' },
    fires: [one('SnapshotChainIsBroken', 'ticket')],
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
  ...SERVICES.map((service) => ({
    name: `no process of ${service} is there`,
    series: { [`process_start_time_seconds{service="${service}"}`]: undefined },
    fires: [one('ServiceIsDown', 'page', { service })],
  })),
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
  return Object.entries({ ...healthy, ...scenario.series }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
}
