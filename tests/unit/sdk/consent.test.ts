import { describe, expect, it } from 'vitest'
import type { Consent } from '../../../lib/protocol/consent'
import { allowedPart, type ConsentWindow, consentingTransport, pageConsent } from '../../../lib/sdk/consent'
import type { Envelope, Transport } from '../../../lib/sdk/transport'

const windowWith = (cookie: string, navigator: object = {}, protocol = 'http:'): ConsentWindow => ({
  document: { cookie },
  navigator,
  location: { protocol },
})

const blocked: ConsentWindow = {
  document: {
    get cookie(): string {
      throw new DOMException('denied', 'SecurityError')
    },
    set cookie(_: string) {
      throw new DOMException('denied', 'SecurityError')
    },
  },
  navigator: {},
  location: { protocol: 'http:' },
}

const POLICY = { byDefault: 'all', bySignal: 'errors' } as const
const envelope = (...items: readonly object[]): Envelope => [{}, items] as Envelope
const error = (event: object) => [{ type: 'event' }, event]
const span = [{ type: 'span' }, {}]

describe('pageConsent', () => {
  it('reads the cookie, else the signal of the browser, else the default', () => {
    expect(pageConsent(windowWith('waystation-consent=off'), POLICY).current()).toBe('off')
    expect(pageConsent(windowWith('', { globalPrivacyControl: true }), POLICY).current()).toBe('errors')
    expect(pageConsent(windowWith('', { doNotTrack: '1' }), POLICY).current()).toBe('errors')
    expect(pageConsent(windowWith('', { doNotTrack: 'unspecified' }), POLICY).current()).toBe('all')
  })

  it('stores a choice for a year, with https in a secure cookie, and follows a change of another tab', () => {
    const page = windowWith('', {}, 'https:')
    const consent = pageConsent(page, POLICY)
    consent.choose('errors')
    expect(page.document.cookie).toBe('waystation-consent=errors; Path=/; Max-Age=31536000; SameSite=Lax; Secure')
    page.document.cookie = 'waystation-consent=kept'
    expect(consent.current()).toBe('kept')
  })

  it('holds a choice for the page alone where cookies are blocked', () => {
    const consent = pageConsent(blocked, POLICY)
    expect(consent.current()).toBe('all')
    consent.choose('off')
    expect(consent.current()).toBe('off')
  })
})

describe('allowedPart', () => {
  const mixed = envelope(error({ message: 'boom' }), span)

  it('changes nothing with all and kept, and leaves nothing with off', () => {
    expect(allowedPart(mixed, 'all')).toBe(mixed)
    expect(allowedPart(mixed, 'kept')).toBe(mixed)
    expect(allowedPart(mixed, 'off')).toBeNull()
  })

  it('leaves errors without queries, users and most headers', () => {
    const event = {
      message: 'boom',
      user: { ip_address: '{{auto}}' },
      exception: {
        values: [
          { type: 'Error', stacktrace: { frames: [{ filename: 'http://a.test/b?c=d', lineno: 1 }] } },
          { type: 'Cause' },
        ],
      },
      request: { url: 'https://a.test/b?c=d#e', headers: { Referer: 'https://x.test/?q', 'User-Agent': 'UA' } },
      breadcrumbs: [
        { category: 'fetch', data: { url: '/api?key=1', method: 'GET', status_code: 200 } },
        { category: 'navigation', data: { from: '/a?b', to: '/c#d' } },
        { category: 'ui.click', message: 'button' },
      ],
    }
    expect(allowedPart(envelope(error(event), span), 'errors')?.[1]).toEqual([
      error({
        message: 'boom',
        exception: {
          values: [
            { type: 'Error', stacktrace: { frames: [{ filename: 'http://a.test/b', lineno: 1 }] } },
            { type: 'Cause' },
          ],
        },
        request: { url: 'https://a.test/b', headers: { 'User-Agent': 'UA' } },
        breadcrumbs: [
          { category: 'fetch', data: { url: '/api', method: 'GET', status_code: 200 } },
          { category: 'navigation', data: { from: '/a', to: '/c' } },
          { category: 'ui.click', message: 'button' },
        ],
      }),
    ])
    expect(allowedPart(envelope(span), 'errors')).toBeNull()
  })
})

it('a change takes effect with the next envelope', async () => {
  const sent: Envelope[] = []
  const inner: Transport = {
    send: (one: Envelope) => {
      sent.push(one)
      return Promise.resolve({ statusCode: 200 })
    },
    flush: () => Promise.resolve(true),
  }
  let level: Consent = 'all'
  const transport = consentingTransport(inner, () => level)
  expect(await transport.send(envelope(span))).toEqual({ statusCode: 200 })
  level = 'off'
  expect(await transport.send(envelope(error({})))).toEqual({})
  expect(await transport.flush()).toBe(true)
  expect(sent).toHaveLength(1)
})
