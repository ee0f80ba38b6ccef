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
