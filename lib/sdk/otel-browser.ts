import type { Attributes } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { type SpanExporter, WebTracerProvider } from '@opentelemetry/sdk-trace-web'
import { TRACES_BELOW } from '../contract/values'
import { type ForeignSpan, SentryContextManager } from './otel-context'
import { createSpanRecorder } from './otel-span-processor'
import type { TelemetrySettings } from './settings'

export interface OpenTelemetryOptions {
  readonly settings: TelemetrySettings
  /** Whether the visitor allows spans at this moment. */
  readonly mayExport: () => boolean
  /** Returns Sentry's active span. */
  readonly activeSpan: () => ForeignSpan | undefined
  /** Further resource attributes. */
  readonly attributes: Attributes
  /** Further headers of each export. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Registers OpenTelemetry's web SDK for spans of `@opentelemetry/api`. They become children of Sentry's active span and
 * go to the app's own origin. Without a propagator, because the Sentry SDK alone adds trace headers to requests.
 *
 * Browsers load this file by `import()`, after the page: with the SDK it has 15 KB (gzip).
 */
export function startOpenTelemetry(page: Window, options: OpenTelemetryOptions): void {
  const { settings, attributes, headers, activeSpan, mayExport } = options
  const recorder = createSpanRecorder({
    exporter: consenting(
      new OTLPTraceExporter({
        url: `${settings.tunnel}${TRACES_BELOW}`,
        headers: { ...headers, 'x-sentry-auth': `sentry sentry_key=${new URL(settings.dsn).username}` },
      }),
      mayExport,
    ),
    resource: { ...resourceOf(settings), ...attributes },
    schedule: (work, ms) => {
      const timer = page.setTimeout(work, ms)
      return () => page.clearTimeout(timer)
    },
    onLoss: (reason) => console.error(`OpenTelemetry: ${reason}`),
  })
  const provider = new WebTracerProvider({ spanProcessors: [recorder] })
  provider.register({ contextManager: new SentryContextManager(activeSpan), propagator: null })
  page.addEventListener('pagehide', recorder.flush)
  page.document.addEventListener('visibilitychange', () => {
    if (page.document.visibilityState === 'hidden') recorder.flush()
  })
}

/** Exports nothing while the visitor forbids it, which is no loss. */
const consenting = (exporter: SpanExporter, mayExport: () => boolean): SpanExporter => ({
  export: (spans, done) => (mayExport() ? exporter.export(spans, done) : done({ code: 0 })),
  shutdown: () => exporter.shutdown(),
})

/** The same service, environment and release as the page's Sentry SDK. */
const resourceOf = ({ environment, release }: TelemetrySettings): Attributes => ({
  'service.name': 'browser',
  'deployment.environment.name': environment,
  ...(release !== null && { 'service.version': release }),
})
