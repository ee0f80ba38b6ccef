import { noTracing, type Tracing, type TracingOptions, type TracingSettings } from './tracing.js';

/**
 * Loads the SDK only if an exporter or endpoint is set
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  if (!isConfigured(options.settings)) return noTracing;
  const { startOpenTelemetry } = await import('./open-telemetry.js');
  return startOpenTelemetry(options);
}

function isConfigured(settings: TracingSettings): boolean {
  if (settings.OTEL_SDK_DISABLED || settings.OTEL_TRACES_EXPORTER === 'none') return false;
  return (
    settings.OTEL_TRACES_EXPORTER !== undefined ||
    settings.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined ||
    settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined
  );
}
