import { noTracing, type Tracing, type TracingOptions, type TracingSettings } from './tracing.js';

/**
 * Starts OpenTelemetry if one of its standard variables sets an exporter or an endpoint
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Otherwise the SDK is not even
 * loaded.
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
