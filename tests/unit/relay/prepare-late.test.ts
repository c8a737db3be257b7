import { describe, expect, it } from 'vitest'
import type { Preparing } from '../../../collector/relay/prepare'
import type { Endpoint } from '../../../lib/protocol/record'
import { HEADER, item, limit, MINUTE, NOW, prepared, record } from './prepared'

describe('an envelope that is posted late', () => {
  const body = `${HEADER}${item('event')}`
  const after = (ms: number) => ({ now: NOW + ms })

  it('has the time that it waited added to sent_at, and no other change', async () => {
    expect(await prepared(body, [], after(50 * MINUTE + 1))).toMatchObject({
      form: ['late'],
      body: body.replace('10:00:00.000Z', '10:50:00.001Z'),
    })
  })

  it('includes the time in the lifeboat of the tunnel', async () => {
    const given = record(body)
    const kept = { ...given, facts: { ...given.facts, keptMs: 40 * MINUTE } }
    expect(await prepared(body, [], { ...after(20 * MINUTE), record: kept })).toMatchObject({
      form: ['late'],
      body: body.replace('T10:', 'T11:'),
    })
  })

  it('is unchanged up to 50 minutes, and where the clock was set back', async () => {
    for (const ms of [50 * MINUTE, -50 * MINUTE])
      expect(await prepared(body, [], after(ms))).toMatchObject({ form: ['received'], body })
  })

  it('is unchanged where the clock was set meanwhile, and moved by the uptime where it waited', async () => {
    const year = 365 * 24 * 60 * MINUTE
    const given = record(body)
    const received = { ...given, facts: { ...given.facts, boot: 'now', uptimeMs: 0 } }
    const set = { ...after(year), record: received }
    const waited = { ...set, uptime: { boot: 'now', uptimeMs: 60 * MINUTE } }
    expect(await prepared(body, [], set)).toMatchObject({ form: ['received'], body })
    expect(await prepared(body, [], waited)).toMatchObject({ form: ['late'], body: body.replace('T10:', 'T11:') })
    // Records of earlier versions have no uptime, and a year is no time to wait.
    expect(await prepared(body, [], { ...waited, record: given })).toMatchObject({ form: ['received'], body })
  })

  it('is unchanged without sent_at', async () => {
    const silent = `{}${item('event')}`
    expect(await prepared(silent, [], after(90 * MINUTE))).toMatchObject({ form: ['received'], body: silent })
  })

  it('can be cut as well', async () => {
    expect(await prepared(`${body}${item('session')}`, [limit('session', 60)], after(60 * MINUTE))).toMatchObject({
      form: ['cut', 'late'],
      body: body.replace('T10:', 'T11:'),
    })
  })

  it.each<[Endpoint, string]>([
    ['store', '{"sent_at":"2026-11-20T10:00:00.000Z"}'],
    ['security', '{"sent_at":"2026-11-20T10:00:00.000Z"}'],
  ])('is unchanged for the endpoint %s, which has no envelope header', async (endpoint, event) => {
    const given = { ...after(90 * MINUTE), record: record(event, endpoint) }
    expect(await prepared(event, [], given)).toMatchObject({ form: ['received'], body: event })
  })
})

describe('a record that is scrubbed', () => {
  const body = `${HEADER}${item('session')}${item('event', { message: 'secret' })}`
  const scrub: Preparing['scrub'] = async (_endpoint, bytes) => ({
    body: Buffer.from(Buffer.from(bytes).toString().replace('secret', '[Filtered]')),
    removed: [{ rule: 'made', path: '0.message' }],
  })

  it('is posted scrubbed, with removals by the item numbers of the record', async () => {
    expect(await prepared(body, [limit('session', 60)], { scrub })).toMatchObject({
      form: ['cut', 'scrubbed'],
      body: `${HEADER}${item('event', { message: '[Filtered]' })}`,
      removed: [{ rule: 'made', path: '1.message' }],
    })
  })

  it('counts as unchanged where scrubbing changes no byte, although it reports removals', async () => {
    const report: Preparing['scrub'] = async (_endpoint, bytes) => ({
      body: bytes.slice(),
      removed: [{ rule: 'made', path: '1.message' }],
    })
    expect(await prepared(body, [], { scrub: report })).toMatchObject({
      form: ['received'],
      body,
      removed: [{ rule: 'made', path: '1.message' }],
    })
  })
})
