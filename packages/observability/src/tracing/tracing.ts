import type { Logger } from '../logger.js';

/** Settings that turn tracing on, and its service name. The SDK reads the other standard variables itself. */
export interface TracingSettings {
  readonly OTEL_SDK_DISABLED: boolean;
  readonly OTEL_TRACES_EXPORTER?: 'otlp' | 'none' | undefined;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly OTEL_SERVICE_NAME?: string | undefined;
}

export interface TracingOptions {
  readonly service: string;
  readonly settings: TracingSettings;
  readonly log: Logger;
}

/**
 * The parsed form of a `traceparent` (W3C Trace Context, section 3.2), as stored in `changes.traceparent` and as
 * callers may send it.
 */
export interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Returns undefined if `text` is not a valid traceparent. */
export function parseTraceparent(text: unknown): TraceParent | undefined {
  if (typeof text !== 'string') return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface SpanOptions {
  /** Default: `internal`. */
  readonly kind?: SpanKind;
  /** Traceparent of the parent span. Null: start a new trace. Default: the active span. */
  readonly parent?: string | null;
  /** Traceparent of a related trace that this span is not part of, such as a caller's. */
  readonly link?: string | undefined;
  /** Only ids, counts and outcomes. A value that must not be logged must not be traced either. */
  readonly attributes?: SpanAttributes;
  /** Default: now. */
  readonly startedAt?: Date;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Span {
  /** Passed to other processes that continue the trace. Undefined without tracing. */
  readonly traceparent: string | undefined;
  /** Runs `work` with this span active. Its log lines get `trace_id` and `span_id`. */
  within<Result>(work: () => Result): Result;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. @param reason one word, no error text */
  fail(reason: string): void;
  end(): void;
}

export interface Tracing {
  readonly isOn: boolean;
  /** Starts a span. The caller must end it. */
  begin(name: string, options?: SpanOptions): Span;
  /** Runs `work` in a new span. A rejection marks the span as failed and is rethrown. */
  span<Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Sends the pending spans. Never rejects, and gives up after 3 s. */
  shutdown(): Promise<void>;
}

const noSpan: Span = {
  traceparent: undefined,
  within: (work) => work(),
  rename: () => undefined,
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

/** Does nothing, at the cost of a function call. */
export const noTracing: Tracing = {
  isOn: false,
  begin: () => noSpan,
  span: (_name, _options, work) => work(noSpan),
  shutdown: async () => undefined,
};
