import { within } from '@artist-watch/runtime/clock';
import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { type Logger, withContext } from '../logger.js';
import {
  formatTraceparent,
  parseTraceparent,
  type Span,
  type SpanKind,
  type SpanOptions,
  type Tracing,
  type TracingOptions,
} from './tracing.js';

/** An unavailable collector can delay the shutdown by this much at most. */
const SHUTDOWN_TIMEOUT_MS = 3_000;

const KINDS: Readonly<Record<SpanKind, OtelSpanKind>> = {
  internal: OtelSpanKind.INTERNAL,
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  producer: OtelSpanKind.PRODUCER,
  consumer: OtelSpanKind.CONSUMER,
};

/** Uses no instrumentations and no propagator, because they would pass the trace on to other systems. */
export function startOpenTelemetry({ service, settings, log }: TracingOptions): Tracing {
  const sdk = new NodeSDK({
    serviceName: settings.OTEL_SERVICE_NAME ?? `artist-watch-${service}`,
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
    textMapPropagator: null,
  });
  diag.setLogger(sdkLog(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  sdk.start();
  const tracer = trace.getTracer('artist-watch');
  const begin = (name: string, options: SpanOptions = {}) => beginSpan(tracer, name, options);
  return {
    isOn: true,
    begin,
    async span(name, options, work) {
      const span = begin(name, options);
      try {
        return await span.within(() => work(span));
      } catch (error) {
        span.fail(error instanceof Error ? error.name : 'failed');
        throw error;
      } finally {
        span.end();
      }
    },
    shutdown: () => shutDown(sdk, log),
  };
}

function beginSpan(tracer: Tracer, name: string, { kind, parent, link, attributes, startedAt }: SpanOptions): Span {
  const parentContext = parentContextOf(parent);
  const linked = remoteContext(link);
  const span = tracer.startSpan(
    name,
    {
      kind: KINDS[kind ?? 'internal'],
      ...(linked && { links: [{ context: linked }] }),
      ...(attributes && { attributes }),
      ...(startedAt && { startTime: startedAt }),
    },
    parentContext,
  );
  const { traceId, spanId } = span.spanContext();
  return {
    traceparent: traceparentOf(span),
    within: (work) =>
      context.with(trace.setSpan(parentContext, span), () => withContext({ trace_id: traceId, span_id: spanId }, work)),
    rename: (to) => void span.updateName(to),
    set: (more) => void span.setAttributes(more),
    fail: (reason) => void span.setStatus({ code: SpanStatusCode.ERROR, message: reason }),
    end: () => span.end(),
  };
}

function parentContextOf(parent: string | null | undefined): Context {
  if (parent === undefined) return context.active();
  const remote = remoteContext(parent);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
}

function remoteContext(traceparent: string | null | undefined): SpanContext | undefined {
  const parsed = parseTraceparent(traceparent);
  if (!parsed) return undefined;
  const { traceId, spanId, isSampled } = parsed;
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function traceparentOf(span: OtelSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return formatTraceparent({ traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
}

function sdkLog(log: Logger) {
  const warn = (message: string) => log.warn('tracing.trouble', { message: withoutResponse(message) });
  return { error: warn, warn, info: () => undefined, debug: () => undefined, verbose: () => undefined };
}

/** The exporter's error includes the collector's response, which may repeat our credentials. */
function withoutResponse(text: string): string {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof fields !== 'object' || fields === null) return text;
  const { name, code, message } = fields as Record<string, unknown>;
  return [name, code, message].filter((part) => typeof part === 'string' && part !== '').join(' ');
}

async function shutDown(sdk: NodeSDK, log: Logger): Promise<void> {
  const flushed = sdk.shutdown().catch((error: unknown) => log.warn('tracing.not_flushed', { error }));
  await within(SHUTDOWN_TIMEOUT_MS, flushed, () => log.warn('tracing.not_flushed', { withinMs: SHUTDOWN_TIMEOUT_MS }));
}
