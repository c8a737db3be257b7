import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { readFilter } from '../../../collector/api/query/filters'
import { badRequest } from '../../../collector/api/query/parameters'
import { readRefusal } from '../../../lib/wire/errors'
import { type FilteredList, LIST_FILTERS, writeFilter } from '../../../lib/wire/filter'

const NOW = Date.parse('2026-11-20T10:00:00Z')
const us = (iso: string): number => Date.parse(iso) * 1000

async function request(list: FilteredList, parameters: string): Promise<Response> {
  const app = new Hono()
  app.get('/', (c) => {
    const filter = readFilter(c, list, NOW)
    return filter.ok ? c.json(filter.value.filter) : badRequest(c, filter.error)
  })
  const names: readonly string[] = LIST_FILTERS[list]
  const own = names.includes('own') && !/\bown=/.test(parameters) ? '&own=show' : ''
  return app.request(`/?${parameters}${own}`)
}

const query = async (list: FilteredList, parameters: string): Promise<unknown> =>
  (await request(list, parameters)).json()

describe('readFilter', () => {
  it.each<[FilteredList, string, object]>([
    ['traces', '', {}],
    ['traces', 'cursor=1-a&limit=5', {}],
    ['traces', 'op=pageload&name=/cart', { op: 'pageload', name: '/cart' }],
    ['errors', 'muted=only&level=warn&handled=unknown', { muted: 'only', level: 'warn', handled: null }],
    ['traces', 'status=error', { status: 'error' }],
    ['traces', 'status=unset', { status: 'unset' }],
    ['traces', 'min_duration=250ms&max_duration=1.5s', { minDurationUs: 250_000, maxDurationUs: 1_500_000 }],
    ['traces', 'min_duration=90us&max_duration=2m', { minDurationUs: 90, maxDurationUs: 120_000_000 }],
    ['traces', 'min_duration=250', { minDurationUs: 250_000 }],
    ['traces', 'min_duration=1h', { minDurationUs: 3_600_000_000 }],
    ['traces', 'min_duration=5ms&max_duration=5000us', { minDurationUs: 5000, maxDurationUs: 5000 }],
    ['traces', 'since=2026-11-20T09:00:00Z', { sinceUs: us('2026-11-20T09:00:00Z') }],
    ['traces', 'since=2026-11-20', { sinceUs: us('2026-11-20T00:00:00Z') }],
    ['traces', 'since=2026-11-20T11:00:00%2B02:00', { sinceUs: us('2026-11-20T09:00:00Z') }],
    ['traces', 'since=2026-11-20T11:00:00+02:00', { sinceUs: us('2026-11-20T09:00:00Z') }],
    ['traces', 'since=1795000000', { sinceUs: 1_795_000_000_000_000 }],
    ['traces', 'since=1795000000.5', { sinceUs: 1_795_000_000_500_000 }],
    ['traces', 'since=1795000000500', { sinceUs: 1_795_000_000_500_000 }],
    ['traces', 'since=15m', { sinceUs: us('2026-11-20T09:45:00Z') }],
    ['traces', 'since=2h&until=1h', { sinceUs: us('2026-11-20T08:00:00Z'), untilUs: us('2026-11-20T09:00:00Z') }],
    ['traces', 'since=1d', { sinceUs: us('2026-11-19T10:00:00Z') }],
    ['traces', 'text=Check%20out%20/api/Ordérs', { text: ['check', 'out', 'api', 'orders'] }],
    ['traces', 'environment=test&release=1.2&service=server&stamp=t1', stamped('test', '1.2', 'server', 't1')],
    ['events', 'stamp=refs/heads/main', { stamp: 'refs/heads/main' }],
    ['events', 'level=WARN', { level: 'WARN' }],
    ['events', 'level=notice', { level: 'notice' }],
    ['envelopes', 'type=breach', { type: 'breach' }],
    ['envelopes', 'type=nel', { type: 'nel' }],
    ['segments', 'lifecycle=stream', { lifecycle: 'stream' }],
    ['segments', `trace=${'A'.repeat(32)}`, { trace: 'a'.repeat(32) }],
    ['spans', `trace=${'a'.repeat(32)}&segment=${'B'.repeat(16)}`, { trace: 'a'.repeat(32), segment: 'b'.repeat(16) }],
    ['events', 'level=fatal&handled=false', { level: 'fatal', handled: false }],
    ['events', 'handled=unknown', { handled: null }],
    ['signals', 'level=info&name=x', { level: 'info', name: 'x' }],
    [
      'envelopes',
      'type=log&endpoint=tunnel&delivery=pending&sdk=a%20b',
      { type: 'log', endpoint: 'tunnel', deliveryStatus: 'pending', sdk: 'a b' },
    ],
    ['deliveries', 'status=429&upstream=host/1&envelope=7', { answer: 429, upstream: 'host/1', envelope: 7 }],
    ['deliveries', 'status=none', { answer: null }],
    ['breadcrumbs', `event=${'c'.repeat(32)}&category=fetch`, { event: 'c'.repeat(32), category: 'fetch' }],
    ['outcomes', 'outcome=kept&reason=lab', { outcome: 'kept', reason: 'lab' }],
  ])('the list of %s reads %j as typed values', async (list, parameters, filter) => {
    expect(await query(list, parameters)).toEqual(filter)
  })

  it.each<[FilteredList, string, string]>([
    ['traces', 'oop=x', 'there is no parameter "oop" here; did you mean op?'],
    ['traces', 'minduration=1s', 'there is no parameter "minduration" here; did you mean min_duration?'],
    [
      'deliveries',
      'lifecycle=static',
      'there is no parameter "lifecycle" here; known are status, upstream, since, until, envelope, q, cursor, limit',
    ],
    [
      'events',
      'op=pageload',
      'there is no parameter "op" here; known are level, handled, name, since, until, text, environment, release, service, stamp, trace, own, page, project, q, cursor, limit',
    ],
    ['traces', 'text=%zz', 'text=%zz: must be percent-encoded UTF-8'],
    ['traces', 'op=x&text=%ff%fe', 'text=%ff%fe: must be percent-encoded UTF-8'],
    ['traces', 'text=100%', 'text=100%: must be percent-encoded UTF-8'],
    ['traces', 'op=a&op=b', 'op is given 2 times; give it once'],
    ['traces', 'limit=1&limit=2', 'limit is given 2 times; give it once'],
    ['traces', 'op=', 'op is empty; give it a value or leave it out'],
    [
      'traces',
      'min_duration=1s&max_duration=10ms',
      'min_duration=1s and max_duration=10ms: max_duration must be at least min_duration',
    ],
    [
      'traces',
      'since=1h&until=1h',
      'since is 2026-11-20T09:00:00.000Z and until 2026-11-20T09:00:00.000Z: until must be after since',
    ],
    [
      'traces',
      'since=1h&until=2h',
      'since is 2026-11-20T09:00:00.000Z and until 2026-11-20T08:00:00.000Z: until must be after since',
    ],
    [
      'traces',
      `text=${'a'.repeat(65)}`,
      `text=${'a'.repeat(40)}: must be 1 to 8 words of at most 64 letters or digits, got a word of 65 characters`,
    ],
    ['traces', `name=${'a'.repeat(1001)}`, `name=${'a'.repeat(40)}: must have at most 1000 characters`],
  ])('the list of %s rejects %j with the value and what is valid', async (list, parameters, error) => {
    expect(await query(list, parameters)).toMatchObject({ detail: error })
  })

  const DURATION = 'must be a duration such as 250ms, 1.5s, 90us or 2m; a number without a unit is ms'
  it.each<[FilteredList, string, string]>([
    [
      'traces',
      'stamp=a%20b',
      'must be a stamp of 1 to 64 letters, digits and _ - . / : @ that begins with a letter, a digit, _ or -',
    ],
    ['envelopes', 'type=transactoin', 'is not a known name; did you mean transaction?'],
    ['envelopes', 'type=logs', 'is not a known name; did you mean log?'],
    ['events', 'level=eror', 'is not a known name; did you mean error?'],
    ['traces', 'status=eror', 'must be one of ok, error, unset; did you mean error?'],
    [
      'envelopes',
      'endpoint=tunel',
      'must be one of envelope, tunnel, stream, store, security, minidump, unreal, nel, cron, attachments, otlp_traces, otlp_logs, otlp_metrics; did you mean tunnel?',
    ],
    ['events', 'handled=yes', 'must be one of true, false, unknown'],
    ['deliveries', 'status=ok', 'must be a status from 100 to 599, or none for a delivery without an answer'],
    ['deliveries', 'envelope=x', 'must be the number of an envelope'],
    ['traces', 'min_duration=fast', DURATION],
    ['traces', 'min_duration=-1s', DURATION],
    [
      'traces',
      'since=soon',
      'must be a time such as 2026-11-20T10:00:00Z, seconds or ms since the epoch, or an age such as 15m, 2h or 1d',
    ],
    ['traces', 'text=---', 'must be 1 to 8 words of at most 64 letters or digits'],
    ['traces', 'text=1+2+3+4+5+6+7+8+9', 'must be 1 to 8 words of at most 64 letters or digits, got 9 words'],
    ['segments', 'trace=12', 'must be a trace id of 32 hex digits'],
    ['spans', 'segment=12', 'must be a span id of 16 hex digits'],
    ['breadcrumbs', 'event=12', 'must be an event id of 32 hex digits'],
  ])('the list of %s rejects %j, repeats it and says that it %s', async (list, parameters, error) => {
    const read = decodeURIComponent(parameters.replaceAll('+', ' '))
    expect(await query(list, parameters)).toMatchObject({ detail: `${read}: ${error}` })
  })

  it.each<[string, string | null, object]>([
    ['since=soon', null, { reason: 'invalid', field: 'since', value: 'soon' }],
    ['lifecycle=statik', 'static', { reason: 'invalid', field: 'lifecycle', value: 'statik' }],
    [`trace=${'x'.repeat(50)}`, null, { reason: 'invalid', field: 'trace', value: 'x'.repeat(40) }],
    ['minduration=1s', 'min_duration', { reason: 'unknown', field: 'minduration', value: '1s' }],
    ['op=a&op=b', null, { reason: 'repeated', field: 'op', value: 'a' }],
    ['op=', null, { reason: 'empty', field: 'op', value: '' }],
    ['op=x&text=%ff=a', null, { reason: 'malformed', field: 'text', value: '%ff=a' }],
    ['since=1h&until=2h', null, { reason: 'conflict', field: 'until', value: '2h', conflictsWith: 'since' }],
    [
      'min_duration=1s&max_duration=10ms',
      null,
      { reason: 'conflict', field: 'max_duration', value: '10ms', conflictsWith: 'min_duration' },
    ],
  ])('names the refused field of %j with its value, suggestion and reason', async (parameters, suggestion, refused) => {
    const { refused: read } = await readRefusal(await request('segments', parameters))
    expect(read).toEqual({ ...refused, suggestion })
  })

  it.each(Object.entries(LIST_FILTERS))(
    'the list of %s knows every name that pages write into addresses',
    async (list, names) => {
      const answers = await Promise.all(names.map((name) => query(list as FilteredList, `${name}=~`)))
      expect(JSON.stringify(answers)).not.toContain('there is no parameter')
    },
  )

  it('reads back a written filter, without its empty fields', async () => {
    const written = new URLSearchParams()
    writeFilter(written, { op: '', name: 'a & b', text: undefined, status: 'ok' })
    expect(await query('traces', String(written))).toEqual({ name: 'a & b', status: 'ok' })
  })
})

function stamped(environment: string, release: string, service: string, stamp: string): object {
  return { environment, release, service, stamp }
}
