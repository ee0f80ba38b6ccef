import { type Node, nodesOf, type Source, UnreadableDefinition } from './metric-definitions.js';

/** The generator fails if this list doesn't match the events that the code logs. */
export const LOG_EVENT_MEANINGS: Readonly<Record<string, string>> = {
  'allowance.not_given_back':
    'The call of a failed lookup could not be refunded, so it still counts toward the daily tool allowance.',
  'artist.poll_failed':
    'A poll failed because of an internal error. The artist is polled again when the claim expires.',
  'artist.polled':
    'An artist was polled. Logged as a warning if the observation is incomplete, except during a platform outage.',
  'artist.record_unreadable': 'The stored state of an artist cannot be parsed, so the poll fails.',
  'attempt.excluded': 'A request failed because of an egress or internal error, so it does not count as an attempt.',
  'attempt.settled':
    'The result of an attempt (`outcome`) is stored. `blame` is `receiver`, `policy`, or null after a success.',
  'attempt.superseded': 'Another worker settled this attempt first, for example because this process was frozen.',
  'attempt.wait_asked':
    'A chat platform rejected a request because of its rate limit (429). The delivery waits, and the request does not count as an attempt.',
  'backlog.unknown': 'The delivery backlog could not be measured, because PostgreSQL or Redis did not respond.',
  'change.confirmed': 'A change was confirmed by polls, or reported by another detector.',
  'claims_renewal.failed': 'The claims of running polls could not be renewed. The next renewal follows in 20 s.',
  'client.refused': 'A client was rejected, because it is not allowed to use this egress proxy.',
  'clock.not_set': 'The time could not be read from PostgreSQL, so the clock continues without an adjustment.',
  'database.available': 'PostgreSQL responded again during a metrics scrape.',
  'database.connection_lost': 'A connection to PostgreSQL was lost. The next query opens a new one.',
  'database.unavailable': 'PostgreSQL did not respond within 1.5 s during a metrics scrape, or the pool was full.',
  'deliveries.released': 'Deliveries were released, so that their first attempts can start.',
  'deliveries.swept':
    'The sweeper re-queued overdue deliveries, skipped undeliverable ones, or corrected in-flight counters of destinations.',
  'delivery.taken_over':
    'A worker took over a delivery from another worker that did not settle it, so the receiver may get the request twice.',
  'destination.switched_off':
    'A destination was switched off after too many consecutive failures. Each failure has an `attempt.settled` line.',
  'destination.warned': 'A destination has many consecutive failures and will be switched off if they continue.',
  'feed.touch_failed': 'The time when a feed was last used could not be stored.',
  'forwarded_for.untrusted': 'X-Forwarded-For arrived from a peer outside TRUSTED_PROXY_CIDRS and was ignored.',
  'idempotency.answer_not_kept':
    'A response was sent but could not be stored under its Idempotency-Key. A retry gets the response that was stored with the write, or runs again if nothing was written.',
  'mail.made': 'Emails were queued.',
  'mail.making_failed': 'Emails could not be queued. The dashboard keeps retrying.',
  'mail.outbox_failed':
    'PostgreSQL failed while the dashboard was claiming emails, renewing claims or storing results.',
  'mail.tried':
    'The dashboard tried to send an email. `result` is `sent`, `retry` (failed, will be retried), `refused` (failed permanently) or `discarded` (expired, or the recipient has left or unsubscribed).',
  'picture.failed': 'The loop that downloads pictures failed. It runs again after 5 s.',
  'picture.not_fetched': 'A picture could not be downloaded from the platform.',
  'platform.outage_ended': 'The platform sent the first usable response after an outage.',
  'platform.outage_started':
    'Three polls in a row failed because of platform errors. Until `platform.outage_ended`, incomplete polls are logged as `info`.',
  'platform_budget.back': 'Redis responds again, so the replicas share one request budget again.',
  'platform_budget.lost': 'Redis is down, so each replica is limited to its own share of the request budget.',
  'polling.failed': 'The loop that starts regular polls failed. It runs again after 1 s.',
  'polling_first.failed': 'The loop that starts the first polls of new artists failed. It runs again after 1 s.',
  'polling_learning.failed':
    'The loop that starts the first detailed reads of new artists failed. It runs again after 1 s.',
  'polling_look.failed': 'The loop that starts regular detailed reads failed. It runs again after 1 s.',
  'process.crashed': 'The process exits because of an unexpected error.',
  'queue.add': 'A delivery could not be added to the queue in Redis. The sweeper will add it later.',
  'queue.trouble': 'The worker cannot read jobs from Redis and keeps retrying.',
  'rate_limit.fell_back': 'Redis is down, so each replica counts requests separately.',
  'record.settle': 'The results of attempts could not be stored. The worker retries until PostgreSQL responds.',
  'redis.connection_lost': 'The process lost its connection to Redis and is trying to reconnect.',
  'redis.connection_restored': 'The process is connected to Redis again.',
  'release.failed':
    'Waiting deliveries could not be released, because PostgreSQL or Redis did not respond. The release loop keeps retrying.',
  'removals.held': 'Many releases disappeared at once, so their removals are only confirmed after more observations.',
  'request.answered':
    'The response to a request has ended. `error`: an unexpected error. `warn`: any other 5xx response, or a failure after the headers were sent.',
  'request.refused_by_parser': 'A connection was closed before a complete, valid HTTP request arrived.',
  'request.slow_reader_cut': 'A connection was closed because the client did not read the response.',
  'retention.failed': 'Expired rows could not be deleted. The next attempt follows in an hour.',
  'rows.pruned': 'Expired rows were deleted.',
  'secret.open': "A destination's secret or headers could not be decrypted with any encryption key of this process.",
  'service.settings': 'The service starts with these settings. Secrets are masked.',
  'service.started': 'The service is running.',
  'service.stop_failed': 'The service failed to stop cleanly. The process exits with code 1.',
  'service.stop_timed_out': 'Stopping took longer than SHUTDOWN_DEADLINE. The process exits with code 1.',
  'service.stopped': 'The service has stopped.',
  'service.stopping': 'The service is stopping. `reason` says why.',
  'session.touch_failed': 'The time when a session was last used could not be stored.',
  skip: 'The pending deliveries of a switched-off destination could not be skipped. The sweeper will skip them later.',
  'snapshot.ingested': 'Another detector reported a snapshot of an artist.',
  'suspicion.dismissed': 'A suspected change was dismissed. `reason` says why.',
  'sweep.failed': 'The sweeper failed. Its next run will re-queue the deliveries whose jobs were lost.',
  'tracing.not_flushed': 'The last spans could not be sent before the process exited.',
  'tracing.trouble': 'A warning from the OpenTelemetry SDK, for example about an unreachable collector.',
  'tunnel.abandoned': 'The client disconnected before its tunnel was open.',
  'tunnel.closed': 'A tunnel was closed.',
  'tunnel.refused': 'A tunnel was refused. Logged as a warning if this proxy is overloaded or has an internal error.',
  'usage.not_written':
    'The numbers of requests per account could not be stored. They are stored later, unless the process is stopping.',
};

export interface LogEvent {
  readonly code: string;
  readonly levels: readonly string[];
  readonly services: readonly string[];
  readonly meaning: string;
}

/**
 * Returns events sorted by code.
 * @throws UnreadableDefinition, or Error if an event is missing from LOG_EVENT_MEANINGS or never logged
 */
export function readLogEvents(
  sources: readonly Source[],
  servicesByFile: ReadonlyMap<string, ReadonlySet<string>>,
  meanings = LOG_EVENT_MEANINGS,
): LogEvent[] {
  const found = new Map<string, { readonly levels: Set<string>; readonly services: Set<string> }>();
  for (const { file, text } of sources) {
    for (const { code, levels } of logEventsInSource(text)) {
      const event = found.get(code) ?? { levels: new Set(), services: new Set() };
      for (const level of levels) event.levels.add(level);
      for (const service of servicesByFile.get(file) ?? []) event.services.add(service);
      found.set(code, event);
    }
  }
  const missing = [...found.keys()].filter((code) => !Object.hasOwn(meanings, code));
  if (missing.length > 0)
    throw new Error(`These events have no meaning in LOG_EVENT_MEANINGS: ${missing.join(', ')}. Add one for each.`);
  return Object.entries(meanings)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, meaning]) => {
      const event = found.get(code);
      if (!event) throw new Error(`${code} is not logged. Remove it from LOG_EVENT_MEANINGS.`);
      return {
        code,
        meaning,
        levels: LEVELS.filter((level) => event.levels.has(level)),
        services: [...event.services].sort(),
      };
    });
}

const LEVELS = ['debug', 'info', 'warn', 'error'];

interface EventInSource {
  readonly code: string;
  readonly levels: readonly string[];
}

/**
 * Finds `log.info('…')`, `log[level]('…')` and, in deliveries, `log.failed('…')`. Skips calls that only pass on an
 * event from a variable.
 * @throws UnreadableDefinition if an event is built from parts
 */
export function logEventsInSource(source: string): EventInSource[] {
  const events: EventInSource[] = [];
  for (const { callee, arguments: args } of nodesOf(source)) {
    if (!isLogCall(callee)) continue;
    const levels = levelsOf(callee.property as Node);
    const [first] = args as readonly { readonly expression: Node }[];
    if (levels.length === 0 || !first || first.expression.type === 'Identifier') continue;
    for (const code of literals(first.expression)) events.push({ code, levels });
  }
  return events;
}

function isLogCall(callee: unknown): callee is Node {
  const { type, object } = (callee ?? {}) as Partial<Node>;
  if (type !== 'MemberExpression') return false;
  const { value, property } = object as Node;
  return (value ?? (property as Node | undefined)?.value) === 'log';
}

const LEVELS_IN_VARIABLE = ['info', 'warn', 'error'];

function levelsOf(property: Node): readonly string[] {
  if (property.type === 'Computed') {
    const expression = property.expression as Node;
    return expression.type === 'Identifier' ? LEVELS_IN_VARIABLE : literals(expression);
  }
  // DeliveryLog's `failed` logs an error.
  if (property.value === 'failed') return ['error'];
  return LEVELS.filter((level) => level === property.value);
}

function literals(node: Node): readonly string[] {
  if (node.type === 'StringLiteral') return [node.value as string];
  if (node.type === 'ConditionalExpression') {
    return [...literals(node.consequent as Node), ...literals(node.alternate as Node)];
  }
  throw new UnreadableDefinition('The event of a log line is not a string literal.');
}
