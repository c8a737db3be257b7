import { type Context, createContextKey, type SpanContext, trace } from '@opentelemetry/api'
import { StackContextManager } from '@opentelemetry/sdk-trace-web'

/** A span of another SDK, by the one method that OpenTelemetry and Sentry share. */
export interface ForeignSpan {
  readonly spanContext: () => SpanContext
}

/** The active span of Sentry when a context became active. */
const SENTRY_SPAN = createContextKey('waystation.sentry_span')

/**
 * Makes the active span of Sentry the parent of spans that `@opentelemetry/api` starts. A span processor cannot do that:
 * when it sees a span, trace id and parent are set.
 *
 * The innermost span wins: a span of Sentry that became active after the current context is inside the current span of
 * OpenTelemetry.
 */
export class SentryContextManager extends StackContextManager {
  readonly #activeSpan: () => ForeignSpan | undefined

  /** @param activeSpan returns Sentry's active span, as `Sentry.getActiveSpan` does */
  constructor(activeSpan: () => ForeignSpan | undefined) {
    super()
    this.#activeSpan = activeSpan
  }

  override active(): Context {
    const current = super.active()
    const span = this.#activeSpan()
    if (span === undefined) return current
    if (trace.getSpan(current) !== undefined && current.getValue(SENTRY_SPAN) === span) return current
    return trace.setSpanContext(current, span.spanContext())
  }

  override with<Args extends unknown[], Work extends (...args: Args) => ReturnType<Work>>(
    context: Context | null,
    work: Work,
    thisArg?: ThisParameterType<Work>,
    ...args: Args
  ): ReturnType<Work> {
    const span = this.#activeSpan()
    const entered = context === null || span === undefined ? context : context.setValue(SENTRY_SPAN, span)
    return super.with(entered, work, thisArg, ...args)
  }
}
