import { describe, expect, it } from 'vitest'
import { DEFAULT_MAX_BYTES, readBody } from '../../../lib/tunnel/read-request'

const CAP = 1000

function sent(chunks: Iterable<Uint8Array | Error>, headers: Record<string, string> = {}) {
  const seen = { pulled: 0, cancelled: false, hungUp: [] as (() => Promise<void>)[] }
  const rest = chunks[Symbol.iterator]()
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        seen.pulled++
        const next = rest.next()
        if (next.done) controller.close()
        else if (next.value instanceof Error) controller.error(next.value)
        else controller.enqueue(next.value)
      },
      cancel() {
        seen.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  const request = new Request('http://app.test/tunnel', { method: 'POST', headers, body, ...{ duplex: 'half' } })
  return { seen, read: () => readBody(request, CAP, (cancel) => seen.hungUp.push(cancel)) }
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
    const { seen, read } = sent(endless())
    expect(await read()).toMatchObject({ ok: false, error: { status: 413 } })
    expect(seen.pulled).toBe(11)
    expect(seen.cancelled).toBe(false)
    await Promise.all(seen.hungUp.map((cancel) => cancel()))
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
})
