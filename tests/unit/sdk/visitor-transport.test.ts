import * as Sentry from '@sentry/nextjs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Envelope, TransportOptions } from '../../../lib/sdk/transport'
import { chooseConsent, visitorTransport } from '../../../lib/sdk/visitor-transport'
import { errorEvent } from './envelopes'

let bodies: string[]
let stored: Map<string, string>
let isOnline: boolean

beforeEach(() => {
  bodies = []
  stored = new Map()
  isOnline = true
  const localStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
    key: (at: number) => [...stored.keys()][at] ?? null,
    get length() {
      return stored.size
    },
  }
  const fetchLike = async (_url: string, { body }: RequestInit) => {
    bodies.push(String(body))
    if (!isOnline) throw new TypeError('Failed to fetch')
    return new Response(null, { status: 200 })
  }
  vi.stubGlobal('window', {
    ...{ localStorage, fetch: fetchLike, document: { cookie: '' }, navigator: {}, location: { protocol: 'http:' } },
    addEventListener: () => undefined,
    setTimeout: () => 0,
  })
})
afterEach(() => void vi.unstubAllGlobals())

const options: TransportOptions & { readonly url: string } = { url: '/tunnel', recordDroppedEvent: () => undefined }
/** As `makeFetchTransport` of the SDK for browsers. */
const make = (given: typeof options, fetchLike: typeof fetch = fetch) =>
  Sentry.createTransport(given, async ({ body }) => {
    const { status } = await fetchLike(given.url, { method: 'POST', body: String(body) })
    return { statusCode: status }
  })

const header = { trace: { trace_id: 't', public_key: 'local', transaction: '/?password=hunter2' } }
const error = (name: string): Envelope => [header, [errorEvent(name)]] as Envelope

describe('the transport of a page', () => {
  it('removes secrets from what it posts', async () => {
    const transport = visitorTransport(make)(options)
    void transport.send(error('password=hunter2'))
    expect(bodies).toEqual([])
    expect(await transport.flush()).toBe(true)
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).toContain('"transaction":"password=[Filtered]"')
    expect(bodies[0]).not.toContain('hunter2')
    void transport.send(error('token=hunter3'))
    expect(bodies[1]).toContain('"transaction":"token=[Filtered]"')
  })

  it('removes secrets from what it stores without a connection', async () => {
    isOnline = false
    const transport = visitorTransport(make)(options)
    await transport.send(error('password=hunter2'))
    expect(stored.size).toBe(1)
    expect([...stored.values()].join()).toContain('password=[Filtered]')
    expect([...stored.values(), ...bodies].join()).not.toContain('hunter2')
  })

  it('sends nothing that waited for the scrubber after its visitor chose to send nothing', async () => {
    const transport = visitorTransport(make)(options)
    const answer = transport.send(error('a'))
    chooseConsent('off')
    expect(await answer).toEqual({})
    expect(bodies).toEqual([])
  })

  it('sends at once, as it is, with `scrub: false`', () => {
    void visitorTransport(make, { scrub: false })(options).send(error('password=hunter2'))
    expect(bodies[0]).toContain('"transaction":"password=hunter2"')
  })
})
