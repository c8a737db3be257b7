/** Joined from two parts, because the sources may not contain this comment. */
const WRONG = ['// @ts', 'expect-error:'].join('-')

/** A program that uses the package, with mistakes that the types must reject. */
export const TYPED_USE = `
  import * as Sentry from '@sentry/node'
  import { mergeExpects, expect as plain } from '@playwright/test'
  import { expect as served } from 'vitest'
  import { defineConfig } from 'waystation/config'
  import { stampServer } from 'waystation/server'
  import { createServer } from 'node:http'
  import { localTunnel, type NodeHandler, nodeTunnel } from 'waystation/tunnel'
  import { expect, type Telemetry, test } from 'waystation/playwright'
  import { startCollector } from 'waystation/vitest'
  import { chooseConsent, visitorTransport } from 'waystation/browser'
  import { localDiagnostics, nodeDiagnostics } from 'waystation/diagnostics'

  export default defineConfig({ errors: 'warn' })
  ${WRONG} the valid values are three
  defineConfig({ errors: 'sometimes' })

  const answer: Promise<Response> = localTunnel({ dsn: '' }).handle(new Request('http://localhost'))
  ${WRONG} the DSN is no text
  localTunnel({ dsn: 1 })
  const handler: NodeHandler = nodeTunnel({ lifeboatFolder: '/tmp' })
  createServer(handler)
  void answer

  const shown = { environment: 'test', tracesSampleRate: 1, maxBreadcrumbs: 100, dataCollection: {} }
  const diagnostics: Promise<Response> = localDiagnostics({ tunnel: localTunnel(), pageOptions: shown })(new Request('http://localhost'))
  createServer(nodeDiagnostics({ tunnel: localTunnel(), pageOptions: shown, consent: { byDefault: 'kept', bySignal: null } }))
  void diagnostics
  chooseConsent('errors')
  ${WRONG} no such level
  chooseConsent('some')
  type Make = typeof Sentry.makeNodeTransport
  declare function makeFetchTransport(options: Parameters<Make>[0], nativeFetch?: typeof fetch): ReturnType<Make>
  Sentry.init({ transport: visitorTransport(makeFetchTransport) })
  Sentry.init({ transport: visitorTransport(makeFetchTransport, { scrub: false }) })
  ${WRONG} scrubbing is on or off
  visitorTransport(makeFetchTransport, { scrub: 'some' })

  stampServer(Sentry)
  ${WRONG} an empty object is not an SDK
  stampServer({})

  test('is typed', async ({ page, telemetry }) => {
    const load = await telemetry.waitFor.transaction({ op: 'pageload', name: /checkout/ })
    const op: string | null = load.op
    ${WRONG} op is not a number
    const number: number = load.op
    void op
    void number
    const trace = await telemetry.trace(load)
    const failure = await telemetry.waitFor.error({ title: /declined/ })

    expect(trace).toHaveSpan({ op: 'db' })
    expect(trace).not.toHaveSpanTree('pageload > db')
    expect(trace).toMatchTrace('checkout', { attributes: ['cart.currency'] })
    await expect(telemetry.trace(load)).resolves.toMatchTrace('checkout')
    expect(failure).toHaveBreadcrumbs([{ category: 'ui.click' }])
    expect(failure).toMatchObject({ environment: 'test' })
    await expect(telemetry).toHaveSpan({ op: 'db' }).then(() => undefined)
    await expect(telemetry).not.toHaveNoLoss()
    await expect.soft(telemetry, 'in words').toBackOff('error')
    await expect.configure({ timeout: 1 })(telemetry).toHaveNoUnexpectedErrors({ allow: ['declined'] })
    await expect(telemetry.trace(load)).resolves.toHaveSpan({ op: 'db' })
    await expect.poll(() => trace).toHaveSpan({ op: 'db' })

    ${WRONG} only a trace has a golden file
    expect(telemetry).toMatchTrace('checkout')
    ${WRONG} an attribute is a name
    expect(trace).toMatchTrace('checkout', { attributes: [/currency/] })
    ${WRONG} a trace has no ledger
    expect(trace).toHaveNoLoss()
    ${WRONG} an error has no spans
    expect(failure).toHaveSpan({ op: 'db' })
    ${WRONG} a page is not a recording
    expect(page).toLeakNothing()
    ${WRONG} a span has no opp
    expect(trace).toHaveSpan({ opp: 'db' })
    ${WRONG} the same with not
    expect(telemetry).not.toHaveSpan({ opp: 'db' })
    ${WRONG} the category is missing
    expect(telemetry).toBackOff()
    ${WRONG} a trace is not a page
    expect(trace).toHaveURL('/')

    await expect(page).toHaveURL('/checkout')
    await expect(page.getByText('Total')).toBeVisible()
    await expect(async () => expect(1).toBe(1)).toPass()
    expect({ id: 'a' }).toEqual({ id: expect.any(String) })

    const more = expect.extend({ toBeBrief: (of: Telemetry, most: number) => ({ pass: most > 0, message: () => of.stamp }) })
    more(telemetry).not.toBeBrief(3)
    more(trace).toHaveSpan({ op: 'db' })
    ${WRONG} the matcher accepts only telemetry
    more(trace).toBeBrief(3)
    const merged = mergeExpects(expect, plain.extend({ toBeOdd: (n: number) => ({ pass: n % 2 === 1, message: () => '' }) }))
    merged(3).toBeOdd()
    await merged(telemetry).toLeakNothing()
  })

  const collector = await startCollector()
  const url: string = collector.url
  ${WRONG} a collector has no port
  collector.port
  void url
  const recording = await collector.recording()
  await served(recording).toKeepTheContract({ only: ['privacy'] })
`
