import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from '@artist-watch/local-stack/processes/serve';

export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface TraceCollector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly bodies: readonly string[];
  close(): Promise<void>;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly links?: readonly { readonly traceId: string }[];
        readonly attributes?: readonly OtlpAttribute[];
      }[];
    }[];
  }[];
}

/** The collector accepts OTLP over HTTP with JSON (OTEL_EXPORTER_OTLP_PROTOCOL=http/json). */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/traces') {
      response.writeHead(404).end();
      return;
    }
    const body = await text(request);
    bodies.push(body);
    spans.push(...spansOf(JSON.parse(body) as OtlpRequest));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  const { port, close } = await serve(server);
  return { url: `http://127.0.0.1:${port}`, spans, bodies, close };
}

function spansOf({ resourceSpans }: OtlpRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        service: String(valuesOf(resource.attributes)['service.name']),
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        links: (span.links ?? []).map((link) => link.traceId),
        attributes: valuesOf(span.attributes ?? []),
      })),
    ),
  );
}

function valuesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
