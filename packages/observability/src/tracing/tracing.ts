import type { Logger } from '../logger.js';

/** The settings that decide whether there are traces at all; the SDK reads all others of the standard by itself. */
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
 * The place of a span in its trace as text (W3C Trace Context, section 3.2): what stands in `changes.traceparent`, and
 * what a caller may send along.
 */
export interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Undefined for what is not one: a trace begins there. */
export function parseTraceparent(text: unknown): TraceParent | undefined {
  if (typeof text !== 'string') return undefined;
  const [, traceId, spanId, flags] = FORM.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface SpanOptions {
  /** `internal` unless given. */
  readonly kind?: SpanKind;
  /** The traceparent of what it follows from; null begins a trace; the span that is active here unless given. */
  readonly parent?: string | null;
  /** The traceparent of what it has to do with, and is no part of: a caller's own trace. */
  readonly link?: string | undefined;
  /** Only ids, counts and outcomes: what may not reach a log may not reach a trace. */
  readonly attributes?: SpanAttributes;
  /** Now unless given. */
  readonly startedAt?: Date;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A piece of work while it is under way. */
export interface Span {
  /** For what follows from it elsewhere; undefined without tracing. */
  readonly traceparent: string | undefined;
  /** Runs `work` with this span as the active one: its log lines carry `trace_id` and `span_id`. */
  within<Result>(work: () => Result): Result;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** It did not do what it was there for; a word, no text of an error. */
  fail(reason: string): void;
  end(): void;
}

export interface Tracing {
  readonly isOn: boolean;
  /** Begins a span that whoever asked for it ends. */
  begin(name: string, options?: SpanOptions): Span;
  /** Runs `work` in a span of its own; a rejection is its failure, and is passed on. */
  span<Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Sends what has gathered. Never rejects, and takes a few seconds at the most. */
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

/** Costs a call, and nothing else. */
export const noTracing: Tracing = {
  isOn: false,
  begin: () => noSpan,
  span: (_name, _options, work) => work(noSpan),
  shutdown: async () => undefined,
};
