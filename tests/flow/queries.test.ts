import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { envelopesPageSchema } from '../../lib/wire/envelope'
import { itemsPageSchema } from '../../lib/wire/journal'
import { overviewSchema } from '../../lib/wire/overview'
import { type CollectorProcess, digested, endCollectors, postEnvelope, startCollector } from './collector-process'

let collector: CollectorProcess
beforeAll(async () => {
  collector = await startCollector()
})
afterAll(endCollectors)

const get = async (path: string): Promise<unknown> => (await fetch(`${collector.url}/query/${path}`)).json()
const head = async (): Promise<number> => overviewSchema.parse(await get('overview')).journal

const id = (letter: string): string => letter.repeat(32)
const lines = (...parts: readonly unknown[]): string => parts.map((part) => JSON.stringify(part)).join('\n')
const event = (given: object): string =>
  lines({ dsn: collector.dsn }, { type: 'event' }, { event_id: id('a'), timestamp: 1_795_000_000, ...given })

/** Sends a request line as it is, which `fetch` would correct or refuse. */
async function sendRaw(
  ...head: readonly string[]
): Promise<{ readonly status: string; readonly head: string; readonly body: string }> {
  const socket = connect(Number(new URL(collector.url).port), '127.0.0.1')
  socket.write([...head, 'Host: 127.0.0.1', '', ''].join('\r\n'))
  const [answer = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { status: answer.slice(0, answer.indexOf('\r\n')), head: answer, body }
}

describe('/query/items', () => {
  it.each(['build-1.4.2', 'refs/heads/main', 'ci:7@shop'])(
    'waits for items with the stamp %s after a journal number',
    async (stamp) => {
      const after = await head()
      const response = await postEnvelope(collector, event({ message: 'mine' }), { 'x-waystation-stamp': stamp })
      expect(response.headers.get('x-waystation-note')).toBeNull()
      const page = itemsPageSchema.parse(
        await get(`items?${new URLSearchParams({ stamp, after: `${after}`, wait: '25' })}`),
      )
      expect(page.items).toMatchObject([{ type: 'event', stamp, problem: null }])
    },
  )

  it('stores an envelope without its invalid stamp, and says so in a header', async () => {
    const response = await postEnvelope(collector, event({}), { 'x-waystation-stamp': 'two words' })
    expect([response.status, response.headers.get('x-waystation-note')]).toEqual([
      200,
      'X-Waystation-Stamp ignored: two words is not a stamp of 1 to 64 letters, digits and _ - . / : @ that begins with a letter, a digit, _ or -',
    ])
  })

  it('returns the problem of an unreadable item', async () => {
    const after = await head()
    await postEnvelope(collector, `${lines({ dsn: collector.dsn }, { type: 'event' })}\nnothing`)
    const page = itemsPageSchema.parse(await get(`items?after=${after}&wait=25`))
    expect(page.items).toMatchObject([{ type: 'event', problem: 'the payload is not JSON' }])
  })
})

describe('an envelope whose header does not name the SDK', () => {
  it.each([
    ['python', 'sentry.python 1.9.10'],
    ['Sentry.Python', 'sentry.python 1.9.10'],
    ['sentry.python 1.9', 'sentry.python 1.9.10'],
    ['ython', null],
  ])('is found by the SDK in its event: sdk=%s finds %s', async (sdk, found) => {
    await postEnvelope(collector, event({ sdk: { name: 'sentry.python', version: '1.9.10' } }))
    await digested(collector, (await envelopes({})).length)
    const page = await envelopes({ sdk })
    expect(page[0]?.sdk ?? null).toBe(found)
  })

  it('is found by the SDK in its transaction', async () => {
    const transaction = {
      type: 'transaction',
      timestamp: 1_795_000_000,
      contexts: { trace: { trace_id: id('c'), span_id: 'd'.repeat(16) } },
      sdk: { name: 'sentry.ruby', version: '5.0' },
    }
    await postEnvelope(collector, lines({ dsn: collector.dsn }, { type: 'transaction' }, transaction))
    await digested(collector, (await envelopes({})).length)
    expect(await envelopes({ sdk: 'ruby' })).toMatchObject([{ sdk: 'sentry.ruby 5.0' }])
  })

  const envelopes = async (filter: Record<string, string>) =>
    envelopesPageSchema.parse(await get(`envelopes?${new URLSearchParams({ ...filter, limit: '200' })}`)).envelopes
})

describe('filters of lists', () => {
  it('ignore the case of levels, and treat warn as warning', async () => {
    const log = (level: string) => ({ level, body: `logged at ${level}`, timestamp: 1_795_000_000, trace_id: id('e') })
    const container = { version: 2, items: [log('warn'), log('WARNING'), log('info')] }
    const header = { type: 'log', item_count: 3, content_type: 'application/vnd.sentry.items.log+json' }
    const after = await head()
    await postEnvelope(collector, lines({ dsn: collector.dsn }, header, container))
    await get(`items?type=log&after=${after}&wait=25`)
    for (const level of ['warn', 'WARN', 'warning'])
      expect(await get(`logs?level=${level}`)).toMatchObject({ signals: [{ level: 'WARNING' }, { level: 'warn' }] })
  })

  it('treat ß and ss as the same text', async () => {
    const after = await head()
    await postEnvelope(collector, event({ event_id: id('f'), message: 'Straße gesperrt' }))
    await get(`items?after=${after}&wait=25`)
    for (const text of ['strasse', 'STRASSE', 'straß'])
      expect(await get(`events?${new URLSearchParams({ text })}`)).toMatchObject({ events: [{ eventId: id('f') }] })
  })
})

describe('a malformed request', () => {
  const detail = 'the address or a header is malformed: percent-encode non-ASCII characters (curl -G --data-urlencode)'

  it.each([
    ['letters beyond ASCII', 'GET /query/events?text=größe HTTP/1.1'],
    ['a space', 'GET /query/events?text=a b HTTP/1.1'],
  ])('the collector answers %s in the address with advice', async (_name, line) => {
    const answer = await sendRaw(line)
    expect(answer.status).toBe('HTTP/1.1 400 Bad Request')
    expect(answer.head).toContain(`X-Sentry-Error: ${detail}`)
    expect(JSON.parse(answer.body)).toEqual({ detail, causes: [] })
  })

  it('the collector answers malformed chunks with the reason', async () => {
    const answer = await sendRaw(
      'POST /api/1/envelope/ HTTP/1.1',
      'Transfer-Encoding: chunked',
      'X-Rest: 1',
      'Host: 127.0.0.1',
      '',
      'zz',
    )
    expect(answer.status).toBe('HTTP/1.1 400 Bad Request')
    expect(JSON.parse(answer.body)).toMatchObject({ detail: 'the chunked encoding of the body is malformed' })
  })

  it('the collector answers too long headers with the limit', async () => {
    const answer = await sendRaw(`GET /query/events?text=${'a'.repeat(20_000)} HTTP/1.1`)
    expect(answer.status).toBe('HTTP/1.1 431 Request Header Fields Too Large')
    expect(JSON.parse(answer.body)).toMatchObject({ detail: expect.stringContaining('16 KiB') })
  })
})

it.each([
  ['GET', '/query/loses', ': did you mean /query/losses?'],
  ['GET', '/query/overviews', ': did you mean /query/overview?'],
  ['GET', '/query/losses/', ': did you mean /query/losses?'],
  ['GET', '/control/dead-letters', ': use POST'],
  ['POST', '/control/dead-leters', ': did you mean /control/dead-letters?'],
  ['GET', '/health/redy', ': did you mean /health/ready?'],
  ['GET', '/query/nothing-like-any', ''],
  ['GET', '/robots.txt', ''],
])('an unknown address suggests a similar route for %s %s', async (method, path, hint) => {
  const answer = await fetch(`${collector.url}${path}`, { method })
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({ detail: `there is nothing at ${method} ${path}${hint}` })
})
