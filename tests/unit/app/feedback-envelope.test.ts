import { describe, expect, it } from 'vitest'
import { feedbackEnvelope } from '../../../app/feedback/feedback-envelope'
import type { Draft } from '../../../app/feedback/feedback-fields'
import { signalsIn } from '../protocol/items/read-signals'

const EVENT = 'e'.repeat(32)
const TRACE = 'a'.repeat(32)
const DRAFT: Draft = {
  message: 'I paid\nand "it" broke',
  email: 'me@example.org',
  event: EVENT,
  trace: TRACE,
  digest: '3239642203',
  page: '/cart',
}
const SETTINGS = { dsn: 'http://local@127.0.0.1:8969/1', environment: 'production', release: 'shop@1' }
const FACTS = {
  eventId: 'f'.repeat(32),
  spanId: 'b'.repeat(16),
  at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  origin: 'https://shop.example',
  userAgent: 'Browser/1',
}
const BARE: Draft = { message: 'x', email: '', event: null, trace: null, digest: null, page: null }

const linesOf = (...args: Parameters<typeof feedbackEnvelope>) =>
  feedbackEnvelope(...args)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('the envelope of feedback', () => {
  it('has one feedback item, which is joined to event and trace and names the digest', () => {
    expect(linesOf(DRAFT, SETTINGS, FACTS)).toEqual([
      {
        event_id: FACTS.eventId,
        sent_at: '2026-01-02T03:04:05.678Z',
        sdk: { name: 'waystation.feedback', version: '1' },
        dsn: SETTINGS.dsn,
      },
      { type: 'feedback' },
      {
        event_id: FACTS.eventId,
        type: 'feedback',
        timestamp: FACTS.at / 1000,
        level: 'info',
        platform: 'javascript',
        environment: 'production',
        release: 'shop@1',
        sdk: { name: 'waystation.feedback', version: '1' },
        contexts: {
          trace: { trace_id: TRACE, span_id: FACTS.spanId },
          feedback: {
            message: DRAFT.message,
            contact_email: 'me@example.org',
            url: 'https://shop.example/cart',
            source: 'error-page',
            associated_event_id: EVENT,
          },
        },
        tags: { digest: '3239642203' },
        request: { url: 'https://shop.example/cart', headers: { 'User-Agent': 'Browser/1' } },
      },
    ])
  })

  it('leaves out what is not known, and an address that was not given', () => {
    const [, , payload] = linesOf(BARE, { ...SETTINGS, release: null }, { ...FACTS, userAgent: null })
    expect(payload.contexts).toEqual({
      feedback: { message: 'x', url: 'https://shop.example/', source: 'error-page' },
    })
    expect(payload.tags).toEqual({})
    expect(payload.request).toEqual({ url: 'https://shop.example/' })
    expect(payload).not.toHaveProperty('release')
  })

  it('tags feedback about the lab, which leaves this machine only with the relay switch of the lab', () => {
    expect(linesOf({ ...BARE, page: '/lab/shop' }, SETTINGS, FACTS)[2].tags).toEqual({ 'waystation.lab': 'yes' })
    expect(linesOf({ ...BARE, page: '/labour' }, SETTINGS, FACTS)[2].tags).toEqual({})
  })

  it('is read by the collector as feedback about the event', () => {
    expect(signalsIn(Buffer.from(feedbackEnvelope(DRAFT, SETTINGS, FACTS)))).toMatchObject([
      {
        kind: 'feedback',
        key: FACTS.eventId,
        timestampUs: FACTS.at * 1000,
        traceId: TRACE,
        eventId: EVENT,
        fields: { message: DRAFT.message, contact: 'me@example.org', url: 'https://shop.example/cart' },
      },
    ])
  })
})
