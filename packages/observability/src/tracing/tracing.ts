import type { Logger } from '../logger.js';

/** The OpenTelemetry SDK reads all other standard variables itself. */
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

/** A parsed `traceparent` (W3C Trace Context, section 3.2). */
export interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

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
  /** A traceparent, or null for a new trace. Default: the active span. */
  readonly parent?: string | null;
  /** The traceparent of a related trace, such as the caller's. */
  readonly link?: string | undefined;
  /** Only use ids, counts and outcomes. Never trace a value that must not be logged. */
  readonly attributes?: SpanAttributes;
  /** Default: now. */
  readonly startedAt?: Date;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Span {
  /** Pass this to other processes so that they can continue the trace. Undefined if tracing is off. */
  readonly traceparent: string | undefined;
  within<Result>(work: () => Result): Result;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** @param reason a single word, never the error message. */
  fail(reason: string): void;
  end(): void;
}

export interface Tracing {
  readonly isOn: boolean;
  /** The caller must end the span. */
  begin(name: string, options?: SpanOptions): Span;
  /** If `work` rejects, the span is marked as failed and the error is rethrown. */
  span<Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Never rejects, and gives up after 3 s. */
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

export const noTracing: Tracing = {
  isOn: false,
  begin: () => noSpan,
  span: (_name, _options, work) => work(noSpan),
  shutdown: async () => undefined,
};
