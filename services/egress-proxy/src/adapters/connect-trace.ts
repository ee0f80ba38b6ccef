import type { Tracing } from '@artist-watch/observability/tracing/tracing';
import type { Reached, Target } from '../application/reach-target.js';

/** Looking up and connecting as a span of the trace that the client named. */
export function traceConnect<Opened>(
  tracing: Tracing,
  { hostText, port }: Target,
  traceparent: string | undefined,
  reach: () => Promise<Reached<Opened>>,
): Promise<Reached<Opened>> {
  const attributes = { 'server.address': hostText, 'server.port': port };
  return tracing.span('egress.open', { kind: 'server', parent: traceparent ?? null, attributes }, async (span) => {
    const reached = await reach();
    span.set({ 'egress.result': reached.kind === 'refused' ? reached.refusal : reached.kind });
    if (reached.kind === 'refused') span.fail(reached.refusal);
    return reached;
  });
}
