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
