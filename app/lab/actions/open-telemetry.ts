import { type Span, SpanStatusCode, trace } from '@opentelemetry/api'
import * as Sentry from '@sentry/nextjs'
import { RECORDED_SPANS } from '../../../lib/contract/values'
import { openTelemetryReady } from '../../../lib/sdk/browser'
import type { LabAction } from '../entry'
import { newMarker } from '../lab-error'
import { inOwnTrace } from '../own-trace'

const tracer = trace.getTracer('lab')

/** @throws Error when no SDK records the span: the API alone makes spans that do nothing */
function requireRecording(span: Span): void {
  if (!span.isRecording()) throw new Error('the SDK of OpenTelemetry is not running in this page')
}

//  ● lab: mixed trace               Sentry
//    ├─ lab otel checkout           OpenTelemetry
//    │  └─ lab otel payment         OpenTelemetry, with an error
//    └─ lab sentry discount         Sentry
//       └─ lab otel discount        OpenTelemetry
export const mixedTrace: LabAction = {
  kind: 'run',
  id: 'mixed-trace',
  title: 'Spans of both SDKs',
  expect: 'One trace: spans of OpenTelemetry are children of Sentry’s spans, also inside each other.',
  run: async () => {
    await openTelemetryReady()
    const { traceId } = await inOwnTrace('lab: mixed trace', async () => {
      tracer.startActiveSpan('lab otel checkout', (checkout) => {
        requireRecording(checkout)
        const payment = tracer.startSpan('lab otel payment', { attributes: { 'lab.marker': newMarker() } })
        payment.setStatus({ code: SpanStatusCode.ERROR, message: 'lab: the card was refused' })
        payment.end()
        Sentry.startSpan({ name: 'lab sentry discount', op: 'lab.discount' }, () =>
          tracer.startSpan('lab otel discount').end(),
        )
        checkout.end()
      })
    })
    return { traceId, observed: ['three spans of OpenTelemetry ended, two of Sentry'] }
  },
}

const SPANS = 1500

export const openTelemetrySpans: LabAction = {
  kind: 'run',
  id: 'otel-spans',
  title: `${SPANS} spans of OpenTelemetry`,
  expect: `${RECORDED_SPANS} of them; the resource of the last ones counts the ${SPANS - RECORDED_SPANS} that were dropped.`,
  run: async () => {
    await openTelemetryReady()
    const { traceId } = await inOwnTrace('lab: otel spans', async () => {
      for (let n = 1; n <= SPANS; n += 1) {
        const span = tracer.startSpan(`lab otel span ${n}`)
        if (n === 1) requireRecording(span)
        span.end()
      }
    })
    return { traceId, observed: [`${SPANS} spans started and ended`] }
  },
}
