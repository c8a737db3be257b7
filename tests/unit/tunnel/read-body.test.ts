import { describe, expect, it, vi } from 'vitest'
import { createBodyBudget } from '../../../lib/tunnel/body-budget'
import { type BodyOptions, DEFAULT_MAX_BYTES, openBody } from '../../../lib/tunnel/read-body'
import { manualClock } from './manual-clock'

const CAP = 1000

function sent(
  chunks: Iterable<Uint8Array | Error | Promise<Uint8Array>>,
  headers: Record<string, string> = {},
  options: Partial<BodyOptions> = {},
) {
  const seen = { pulled: 0, cancelled: false }
  const clock = manualClock()
  const rest = chunks[Symbol.iterator]()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        seen.pulled++
        const next = rest.next()
        if (next.done) controller.close()
        else if (next.value instanceof Error) controller.error(next.value)
        else controller.enqueue(await next.value)
      },
      cancel() {
        seen.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  const request = new Request('http://app.test/tunnel', { method: 'POST', headers, body, ...{ duplex: 'half' } })
  const budget = options.budget ?? createBodyBudget()
  const opened = openBody(request, { maxBytes: CAP, schedule: clock.schedule, ...options, budget })
  return {
    seen,
    clock,
    budget,
    read: async () => (opened.ok ? opened.value.read() : opened),
    readHead: async () => (opened.ok ? opened.value.read((_, byteLength) => byteLength >= 100) : opened),
    close: () => opened.ok && opened.value.close(),
  }
}

const bytes = (length: number) => new Uint8Array(length).fill(97)
function* endless() {
  for (;;) yield bytes(100)
}

describe('readBody', () => {
  it('has a default limit of 20 MiB', () => {
    expect(DEFAULT_MAX_BYTES).toBe(20_971_520)
  })

  it('accepts exactly the limit and refuses one more byte', async () => {
    const atCap = await sent([bytes(400), bytes(600)]).read()
    expect(atCap.ok && atCap.value.byteLength).toBe(CAP)
    expect(await sent([bytes(400), bytes(601)]).read()).toMatchObject({ ok: false, error: { status: 413 } })
  })

  it('stops at the limit of an endless body, and cancels it later', async () => {
    const { seen, clock, read, close } = sent(endless())
    expect(await read()).toMatchObject({ ok: false, error: { status: 413 } })
    expect(seen.pulled).toBe(11)
    close()
    expect(seen.cancelled).toBe(false)
    clock.advance(1000)
    expect(seen.cancelled).toBe(true)
  })

  it('refuses a Content-Length over the limit before reading', async () => {
    const { seen, read } = sent([bytes(10)], { 'content-length': String(CAP + 1) })
    expect(await read()).toMatchObject({ ok: false, error: { status: 413 } })
    expect(seen.pulled).toBe(0)
    const atCap = await sent([bytes(CAP)], { 'content-length': String(CAP) }).read()
    expect(atCap.ok).toBe(true)
  })

  it.each([9, 11])('refuses ten bytes with Content-Length %i', async (length) => {
    const read = await sent([bytes(10)], { 'content-length': String(length) }).read()
    expect(read).toMatchObject({ ok: false, error: { status: 400 } })
    expect(!read.ok && read.error.body).toContain(`has 10 bytes, but Content-Length is ${length}`)
  })

  it.each(['-1', '1.5', '10, 10', '0x0a', '1e1'])('refuses Content-Length %s', async (length) => {
    expect(await sent([bytes(10)], { 'content-length': length }).read()).toMatchObject({
      ok: false,
      error: { status: 400 },
    })
  })

  it('refuses an empty body', async () => {
    expect(await sent([]).read()).toMatchObject({ ok: false, error: { status: 400 } })
    expect(await sent([], { 'content-length': '0' }).read()).toMatchObject({ ok: false, error: { status: 400 } })
  })

  it('refuses a body that ends too early', async () => {
    const read = await sent([bytes(10), new Error('socket closed')]).read()
    expect(read).toMatchObject({ ok: false, error: { status: 400 } })
  })

  it('joins single bytes into few blocks', async () => {
    const chunks = Array.from({ length: CAP }, (_, index) => Uint8Array.of(index % 256))
    const read = await sent(chunks).read()
    expect(read.ok && read.value.blocks).toHaveLength(1)
    expect(read.ok && Buffer.concat(read.value.blocks).equals(Buffer.concat(chunks))).toBe(true)
  })

  it('reads only as much as is enough, and continues from there', async () => {
    const { seen, read, readHead } = sent([bytes(60), bytes(60), bytes(60)])
    expect(await readHead()).toMatchObject({ ok: true, value: { byteLength: 120, ended: false } })
    expect(seen.pulled).toBe(2)
    expect(await read()).toMatchObject({ ok: true, value: { byteLength: 180, ended: true } })
  })

  it('discards the rest after a refusal, so that its connection can serve another request', async () => {
    const { seen, budget, readHead, close } = sent([bytes(200), bytes(200), bytes(200)])
    await readHead()
    expect(budget.reserved()).toBe(200)
    close()
    expect(budget.reserved()).toBe(0)
    await vi.waitFor(() => expect(seen.pulled).toBe(4))
  })

  it('answers 408 after 5 s without a byte, and disconnects the sender', async () => {
    const { clock, seen, read, close } = sent([bytes(10), new Promise<Uint8Array>(() => undefined)])
    const reading = read()
    await vi.waitFor(() => expect(seen.pulled).toBe(2))
    clock.advance(4999)
    clock.advance(1)
    expect(await reading).toMatchObject({ ok: false, error: { status: 408 } })
    close()
    clock.advance(1000)
    expect(seen.cancelled).toBe(true)
  })

  it('answers 408 to a body that is still incomplete after 60 s', async () => {
    let next: (piece: Uint8Array) => void = () => undefined
    function* slow() {
      for (;;) yield new Promise<Uint8Array>((resolve) => (next = resolve))
    }
    const { clock, seen, read } = sent(slow())
    const reading = read()
    for (let second = 4; second <= 60; second += 4) {
      await vi.waitFor(() => expect(seen.pulled).toBe(second / 4))
      clock.advance(4000)
      next(bytes(1))
    }
    expect(await reading).toMatchObject({ ok: false, error: { status: 408 } })
  })

  it('answers 503 with Retry-After when the budget of all bodies is used up', async () => {
    const budget = createBodyBudget({ smallLaneBytes: 1000 })
    const first = sent([bytes(600), new Promise<Uint8Array>(() => undefined)], {}, { budget })
    void first.read()
    await vi.waitFor(() => expect(budget.reserved()).toBe(600))
    const refused = await sent([bytes(600)], {}, { budget }).read()
    expect(refused).toMatchObject({ ok: false, error: { status: 503, headers: { 'retry-after': '1' } } })
    expect(await sent([bytes(400)], {}, { budget }).read()).toMatchObject({ ok: true })
  })
})
