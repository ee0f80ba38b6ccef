import { describeSettings } from '@artist-watch/runtime/settings/settings';
import { createLogger, type LogLevel } from '../logger.js';
import { createMetrics } from '../metrics.js';
import { noTracing, type Tracing, type TracingOptions, type TracingSettings } from './tracing.js';

/** Creates a service's log, metrics and traces, and logs its settings. */
export async function createTelemetry(service: string, settings: TracingSettings & { readonly LOG_LEVEL: LogLevel }) {
  const log = createLogger({ service, level: settings.LOG_LEVEL });
  log.info('service.settings', describeSettings({ ...settings }));
  const metrics = createMetrics({ service });
  return { log, metrics, tracing: await openTracing({ service, settings, log }) };
}

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
