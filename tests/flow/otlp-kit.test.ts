import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Recording, startCollector, type TestCollector } from '../../lib/kit/vitest'
import { sourceOf } from '../repo/sources.js'
import { endCollectors } from './collector-process'
import { endPrograms, type OtlpProgram, type SetUp, startOtlpProgram } from './otlp-program'

let collector: TestCollector
beforeAll(async () => {
  collector = await startCollector()
})
afterAll(async () => {
  endPrograms()
  await collector.stop()
  endCollectors()
})

let telemetry: Recording
beforeEach(async () => {
  telemetry = await collector.recording()
  onTestFinished(async () => {
    await telemetry.close()
  })
})

const started = (setUp: SetUp, env: Readonly<Record<string, string>> = {}): Promise<OtlpProgram> =>
  startOtlpProgram(setUp, {
    OTEL_SERVICE_NAME: 'shop',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    ...env,
  })

/** The program exports when it ends, which takes seconds on a busy machine. */
const SLOW = { timeout: 60_000 }

/** Requests a page, ends the program, and judges everything that it sent. */
async function expectTelemetry(shop: OtlpProgram, headers: Readonly<Record<string, string>>): Promise<void> {
  const served = telemetry.waitFor.transaction({ service: 'shop', op: 'http.server' }, SLOW)
  const priced = telemetry.waitFor.span({ name: 'price the cart' }, SLOW)
  const failed = telemetry.waitFor.error({ title: 'Error: no price' }, SLOW)
  const logged = telemetry.waitFor.log({ name: 'the cart is empty', level: 'warn' }, SLOW)
  await fetch(`${shop.url}/orders`, { headers })
  await shop.end()
  const trace = await telemetry.trace(await served)
  expect(trace).toHaveSpan({ name: 'price the cart' })
  expect(trace).toHaveSpanTree('http.server > * "price the cart"')
  expect(trace).not.toHaveSpanTree('http.server > db')
  const ids = [await priced, await failed, await logged].map(({ traceId }) => traceId)
  expect(ids).toEqual([trace.traceId, trace.traceId, trace.traceId])
  await expect(telemetry).toHaveNoUnexpectedErrors({ allow: ['no price'] })
  expect(telemetry.gaps()).toEqual([])
}

describe('telemetry of a program that has only OpenTelemetry', () => {
  it('belongs to the recording whose headers its request has', async () => {
    await expectTelemetry(await started('opentelemetry'), telemetry.headers)
  })

  it('belongs to the stamp in the header of its exports', async () => {
    const shop = await started('opentelemetry', {
      OTEL_EXPORTER_OTLP_HEADERS: `x-waystation-stamp=${telemetry.stamp}`,
    })
    await expectTelemetry(shop, {})
    await expect(telemetry).toHaveNoLoss()
    expect(telemetry.submissions().map(({ endpoint, stamp }) => [endpoint, stamp])).toEqual(
      expect.arrayContaining(
        ['otlp_traces', 'otlp_logs', 'otlp_metrics'].map((endpoint) => [endpoint, telemetry.stamp]),
      ),
    )
  })

  it('belongs to the stamp in the attributes of its resource', async () => {
    const shop = await started('opentelemetry', { OTEL_RESOURCE_ATTRIBUTES: `waystation.stamp=${telemetry.stamp}` })
    await expectTelemetry(shop, {})
    expect(telemetry.evidence().signals.map(({ name }) => name)).toContain('shop.orders')
  })

  it('belongs to the stamp in the baggage of its request', async () => {
    const shop = await started('opentelemetry-baggage')
    await expectTelemetry(shop, { baggage: `waystation.stamp=${telemetry.stamp}` })
    expect(telemetry.evidence().spans.map(({ attributes }) => attributes['waystation.stamp'])).toEqual([
      telemetry.stamp,
      telemetry.stamp,
    ])
  })

  it('belongs to the stamp in the cookie of its request', async () => {
    const shop = await started('opentelemetry-cookie')
    await expectTelemetry(shop, { cookie: `theme=dark; waystation-stamp=${telemetry.stamp}` })
  })

  it.each([
    ['their headers', 'opentelemetry', (of: Recording) => of.headers],
    ['their baggage', 'opentelemetry-baggage', (of: Recording) => ({ baggage: `waystation.stamp=${of.stamp}` })],
  ] as const)('is divided among recordings by %s, also within one batch', async (_by, setUp, headersOf) => {
    const other = await collector.recording()
    onTestFinished(async () => {
      await other.close()
    })
    const shop = await started(setUp)
    await Promise.all([
      fetch(`${shop.url}/one`, { headers: headersOf(telemetry) }),
      fetch(`${shop.url}/other`, { headers: headersOf(other) }),
      fetch(`${shop.url}/nobody`),
    ])
    const waits = [telemetry, other].map((recording) => recording.waitFor.span({ name: 'price the cart' }, SLOW))
    await shop.end()
    await Promise.all(waits)
    for (const [recording, path] of [
      [telemetry, '/one'],
      [other, '/other'],
    ] as const) {
      await recording.settle()
      const { segments, events } = recording.evidence()
      expect(segments.map(({ attributes }) => attributes['url.path'])).toEqual([path])
      expect(events).toHaveLength(1)
    }
  })
})

it.each(['opentelemetry-baggage', 'opentelemetry-cookie'])('documents %s exactly as it is tested', (setUp) => {
  expect(sourceOf('docs/opentelemetry.md')).toContain(sourceOf(`tests/fixtures/otlp-programs/${setUp}.cjs`))
})
