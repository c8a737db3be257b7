import * as Sentry from '@sentry/nextjs'
import { beforeEach, describe, expect, it } from 'vitest'
import { MOST_UNSCRUBBED, type ScrubEnvelope, scrubbingTransport } from '../../../lib/sdk/scrubbing'
import type { Envelope, RecordDrop, Transport } from '../../../lib/sdk/transport'
import { clientReport, container, envelope, errorEvent, span, transaction } from './envelopes'

let sent: string[]
let counted: Parameters<RecordDrop>[]
let flushes: (number | undefined)[]
let imports: { readonly resolve: (scrub: ScrubEnvelope) => void; readonly reject: (error: Error) => void }[]
let timers: { readonly work: () => void; readonly ms: number }[]
let listeners: Map<string, () => void>
let now: number

beforeEach(() => {
  sent = []
  counted = []
  flushes = []
  imports = []
  timers = []
  listeners = new Map()
  now = 1_790_000_000_000
})

const nameOf = ([, items]: Envelope): string => {
  const payload = items[0]?.[1]
  return typeof payload === 'object' && 'transaction' in payload
    ? String(payload.transaction)
    : String(items[0]?.[0].type)
}
/** Stands for the scrubber: it appends a sign to the name of the transaction. */
const scrub: ScrubEnvelope = (one) => envelope(errorEvent(`${nameOf(one)}*`))

function open(): Transport {
  const inner: Transport = {
    send: (one) => {
      sent.push(nameOf(one))
      return Promise.resolve({ statusCode: 200 })
    },
    flush: (timeout) => {
      flushes.push(timeout)
      return Promise.resolve(true)
    },
  }
  return scrubbingTransport(inner, {
    page: {
      addEventListener: (name, listener) => void listeners.set(name, listener),
      setTimeout: (work, ms) => timers.push({ work, ms }),
    },
    load: () => new Promise((resolve, reject) => imports.push({ resolve, reject })),
    recordDrop: (...drop) => void counted.push(drop),
    now: () => now,
  })
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const load = async (scrubWith = scrub): Promise<void> => {
  imports.at(-1)?.resolve(scrubWith)
  await settled()
}
const fail = async (): Promise<void> => {
  imports.at(-1)?.reject(new TypeError('Failed to fetch dynamically imported module'))
  await settled()
}
const error = (name: string): Envelope => envelope(errorEvent(name))

describe('until the scrubber is loaded', () => {
  it('envelopes wait for one import, and are sent scrubbed and in order', async () => {
    const transport = open()
    expect(imports).toHaveLength(0)
    const answers = [transport.send(error('a')), transport.send(error('b'))]
    expect(imports).toHaveLength(1)
    expect(sent).toEqual([])
    await load()
    expect(sent).toEqual(['a*', 'b*'])
    expect(await Promise.all(answers)).toEqual([{ statusCode: 200 }, { statusCode: 200 }])
  })

  it(`${MOST_UNSCRUBBED} envelopes wait, and one more counts as lost`, async () => {
    const transport = open()
    for (let at = 0; at < MOST_UNSCRUBBED; at += 1) void transport.send(error(`e${at}`))
    expect(await transport.send(error('late'))).toEqual({})
    expect(counted).toEqual([['queue_overflow', 'error']])
    await load()
    expect(sent).toHaveLength(MOST_UNSCRUBBED)
    expect(sent).not.toContain('late*')
  })

  it('a page that is left counts waiting envelopes as lost, and its client report is sent at once', async () => {
    const transport = open()
    const answer = transport.send(envelope(transaction('/', 's', {}, [{}, {}])))
    void transport.send(envelope(container(span('c', 's', 'x'), span('d', 's', 'y'))))
    listeners.get('pagehide')?.()
    expect(counted).toEqual([
      ['network_error', 'transaction'],
      ...Array.from({ length: 5 }, () => ['network_error', 'span']),
    ])
    expect(await answer).toEqual({})
    void transport.send(envelope(clientReport({ reason: 'network_error', category: 'span', quantity: 5 })))
    expect(sent).toEqual(['client_report'])
    await load()
    expect(sent).toEqual(['client_report'])
  })

  it('a client report with a trace waits, because the trace may contain a secret', () => {
    const transport = open()
    void transport.send([{ trace: { transaction: '/' } }, [clientReport()]] as Envelope)
    expect(sent).toEqual([])
  })
})

describe('a failed import', () => {
  it('is repeated with the next envelope, and sends both', async () => {
    const transport = open()
    void transport.send(error('a'))
    await fail()
    expect([sent, counted]).toEqual([[], []])
    void transport.send(error('b'))
    expect(imports).toHaveLength(2)
    await load()
    expect(sent).toEqual(['a*', 'b*'])
  })

  it('is repeated when the browser is online again and envelopes wait', async () => {
    const transport = open()
    listeners.get('online')?.()
    expect(imports).toHaveLength(0)
    void transport.send(error('a'))
    await fail()
    listeners.get('online')?.()
    await load()
    expect(sent).toEqual(['a*'])
  })
})

describe('once the scrubber is loaded', () => {
  it('an envelope is sent before `send` returns', async () => {
    const transport = open()
    void transport.send(error('a'))
    await load()
    listeners.get('pagehide')?.()
    void transport.send(error('b'))
    expect(sent).toEqual(['a*', 'b*'])
    expect(imports).toHaveLength(1)
  })

  it('an envelope that cannot be scrubbed is not sent and counts as lost, and the next ones are sent', async () => {
    const transport = open()
    const answers = ['bad', 'b'].map((name) => transport.send(error(name)))
    await load((one) => {
      if (nameOf(one) === 'bad') throw new TypeError('circular')
      return scrub(one)
    })
    expect(await Promise.all(answers)).toEqual([{}, { statusCode: 200 }])
    expect(await transport.send(error('bad'))).toEqual({})
    expect(sent).toEqual(['b*'])
    expect(counted).toEqual([
      ['internal_sdk_error', 'error'],
      ['internal_sdk_error', 'error'],
    ])
  })
})

it('losses have the categories of the SDK', async () => {
  const types =
    'event transaction span log trace_metric session sessions user_report feedback attachment check_in profile profile_chunk replay_event replay_recording raw_security'
  const items = types.split(' ').map((type) => [{ type, item_count: type === 'log' ? 2 : undefined }, {}])
  const all = [{}, items] as Envelope
  const bySdk: string[] = []
  const options = {
    recordDroppedEvent: (_reason: string, category: string, quantity = 1) =>
      void bySdk.push(...Array.from({ length: quantity }, () => category)),
  }
  const broken = Sentry.createTransport(options, () => Promise.reject(new TypeError('Failed to fetch')))
  await expect(broken.send(all)).rejects.toThrow('Failed to fetch')
  void open().send(all)
  listeners.get('pagehide')?.()
  expect(counted.map(([, category]) => category).sort()).toEqual(bySdk.sort())
})

describe('flush', () => {
  it('is that of the SDK where nothing waits, and imports nothing', async () => {
    expect(await open().flush(500)).toBe(true)
    expect(flushes).toEqual([500])
    expect(imports).toHaveLength(0)
  })

  it('waits for the scrubber, and gives the SDK the rest of the time', async () => {
    const transport = open()
    void transport.send(error('a'))
    const flushed = transport.flush(500)
    now += 200
    await load()
    expect(await flushed).toBe(true)
    expect(sent).toEqual(['a*'])
    expect(flushes).toEqual([300])
  })

  it('waits without a limit where none is given', async () => {
    const transport = open()
    void transport.send(error('a'))
    const flushed = transport.flush()
    expect(timers).toEqual([])
    await load()
    expect(await flushed).toBe(true)
    expect(flushes).toEqual([0])
  })

  it('is false when the time is over, or the scrubber cannot be loaded', async () => {
    const transport = open()
    void transport.send(error('a'))
    const late = transport.flush(500)
    expect(timers[0]?.ms).toBe(500)
    timers[0]?.work()
    expect(await late).toBe(false)
    const failed = transport.flush(500)
    await fail()
    expect(await failed).toBe(false)
    expect(flushes).toEqual([])
  })
})
