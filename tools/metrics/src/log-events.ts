import { type Node, nodesOf, type Source, UnreadableDefinition } from './metric-definitions.js';

/** The generator fails if this list doesn't match the events that the code logs. */
export const LOG_EVENT_MEANINGS: Readonly<Record<string, string>> = {
  'allowance.not_given_back':
    'A lookup failed, and PostgreSQL could not refund its call, so it still counts toward the daily tool allowance.',
  'artist.poll_failed': 'An internal error ended a poll. The artist is polled again when the claim expires.',
  'artist.polled': 'An artist was polled. A warning if the observation is incomplete, except during an outage.',
  'artist.record_unreadable': 'The stored state of an artist cannot be parsed, so the poll fails.',
  'attempt.excluded': 'A request failed because of an egress or internal error, so it does not count as an attempt.',
  'attempt.settled':
    'An attempt has succeeded or failed (`outcome`), and its result is stored. `blame` is `receiver`, `policy`, or null after a success. If its failure switched the destination off, no retry follows.',
  'attempt.superseded': 'Another worker settled this attempt first, for example while this process was frozen.',
  'attempt.wait_asked': 'A chat platform requested a wait. The request does not count as an attempt.',
  'backlog.unknown': 'The delivery backlog cannot be measured.',
  'change.confirmed': 'A change was confirmed by polls, or reported by another detector.',
  'claims_renewal.failed': 'The claims of running polls could not be renewed. The next run tries again.',
  'client.refused': 'A client was rejected, because it is not allowed to use this egress proxy.',
  'clock.not_set': 'The time could not be read from PostgreSQL, so the clock continues without an adjustment.',
  'database.available': 'PostgreSQL responded again during a metrics scrape.',
  'database.connection_lost': 'A connection to PostgreSQL failed. The next request opens another one.',
  'database.unavailable': 'PostgreSQL did not respond within 1.5 s during a metrics scrape, or the pool was full.',
  'deliveries.released': 'Deliveries were released, so that their first attempts can start.',
  'deliveries.swept': 'The sweeper re-queued lost deliveries, skipped some, or corrected counters of destinations.',
  'delivery.taken_over': 'Another worker did not settle its attempt, so the receiver may get the request twice.',
  'destination.switched_off':
    'A destination failed too often in a row. It gets nothing until it is enabled, and its waiting deliveries are skipped. `attempt.settled` has the failures.',
  'destination.warned':
    'A destination has many consecutive failures, and will be switched off if they continue. Members who want such emails get one.',
  'feed.touch_failed': 'The time of the last use of a feed could not be stored.',
  'forwarded_for.untrusted': 'X-Forwarded-For arrived from a peer outside TRUSTED_PROXY_CIDRS and was ignored.',
  'idempotency.answer_not_kept':
    'A response could not be stored under its Idempotency-Key, so a retry runs the request again.',
  'mail.made': 'Emails were queued.',
  'mail.making_failed': 'Emails could not be queued. The next run tries again.',
  'mail.outbox_failed': 'PostgreSQL failed while emails were claimed, renewed or settled.',
  'mail.tried': 'An email was sent, or an attempt to send it failed.',
  'picture.failed': 'A run of the loop that fetches pictures failed. The next run tries again.',
  'picture.not_fetched': 'A picture could not be fetched from the platform.',
  'platform.outage_ended': 'The platform sent the first usable response after an outage.',
  'platform.outage_started':
    'Three polls in a row failed because of the platform. Until `platform.outage_ended`, incomplete polls are logged as `info`.',
  'platform_budget.back': 'The replicas share one request budget again.',
  'platform_budget.lost': 'Redis is down, so each replica uses a part of the request budget.',
  'polling.failed': 'A run of the regular polls failed. The next run tries again.',
  'polling_first.failed': 'A run of the first polls of new artists failed. The next run tries again.',
  'polling_learning.failed': 'A run of the detailed reads of a new artist failed. The next run tries again.',
  'polling_look.failed': 'A run of the detailed reads failed. The next run tries again.',
  'process.crashed': 'An unexpected error ends the process.',
  'queue.add': 'Failed to add a job to Redis. The sweeper adds the delivery later.',
  'queue.trouble': 'The worker cannot read jobs from Redis. It tries again.',
  'rate_limit.fell_back': 'Redis is down, so each replica counts requests separately.',
  'record.settle': 'Failed to store the results of attempts. The worker retries until PostgreSQL responds.',
  'redis.connection_lost': 'The process is not connected to the Redis server. It tries to reconnect.',
  'redis.connection_restored': 'The process is connected to Redis again.',
  'release.failed':
    'Waiting deliveries could not be released, because PostgreSQL or Redis did not respond. The next run tries again.',
  'removals.held': 'An artist lost many releases at the same time, so the removals need more observations.',
  'request.answered': 'A request has ended. The level is `warn` or `error` if the server failed.',
  'request.refused_by_parser': 'A connection was closed before a complete HTTP request.',
  'request.slow_reader_cut': 'A connection was closed because the client did not read the response.',
  'retention.failed': 'Old rows could not be deleted. The next run tries again.',
  'rows.pruned': 'Old rows were deleted.',
  'secret.open': 'Failed to decrypt the secret of a destination with the encryption keys of this process.',
  'service.settings': 'The service starts with these settings. Secrets are masked.',
  'service.started': 'The service is running.',
  'service.stop_failed': 'The service failed to stop cleanly. The process exits with code 1.',
  'service.stop_timed_out': 'Stopping took longer than SHUTDOWN_DEADLINE. The process exits with code 1.',
  'service.stopped': 'The service has stopped.',
  'service.stopping': 'The service received a request to stop.',
  'session.touch_failed': 'The time of the last use of a session could not be stored.',
  skip: 'Failed to skip the waiting deliveries of a destination that was switched off.',
  'snapshot.ingested': 'Another detector reported a snapshot of an artist.',
  'suspicion.dismissed': 'A suspected change was not confirmed.',
  'sweep.failed': 'A run of the sweeper failed. Jobs that the queue lost wait for the next run.',
  'tracing.not_flushed': 'The last spans could not be sent before the end of the process.',
  'tracing.trouble': 'A warning from the OpenTelemetry SDK, for example about an unreachable collector.',
  'tunnel.abandoned': 'The client ended a tunnel before it was open.',
  'tunnel.closed': 'A tunnel has ended.',
  'tunnel.refused': 'A tunnel was refused. A warning if this proxy is overloaded or has an internal error.',
  'usage.not_written': 'The counts of requests could not be stored. They are written later.',
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
