import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { answerTrace, type TraceReader } from '../../../collector/api/query/routes'

const ID = 'a'.repeat(32)
const encoder = new TextEncoder()

/** A reader that returns these pieces and records its calls. */
function readerOf(pieces: readonly string[]): TraceReader & { readonly calls: readonly string[] } {
  const calls: string[] = []
  let at = 0
  const next = () => {
    const text = pieces[at] ?? ''
    at += 1
    return { bytes: encoder.encode(text), reading: at < pieces.length ? 7 : null }
  }
  return {
    calls,
    openTrace: async (_id, most) => {
      calls.push(`open ${most}`)
      return next()
    },
    nextOfTrace: async (reading) => {
      calls.push(`next ${reading}`)
      return next()
    },
    closeTrace: async (reading) => {
      calls.push(`close ${reading}`)
    },
  }
}

async function answer(reader: TraceReader, method = 'GET'): Promise<Response> {
  const app = new Hono()
  app.get('/', async (c) => (await answerTrace(c, reader, ID, 50)) ?? c.notFound())
  return app.request('/', { method })
}

/** Lets all pending promises settle. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

describe('answerTrace', () => {
  it('joins pieces into one document', async () => {
    const response = await answer(readerOf(['{"spans":', '[1,', '', '', '2]', '}']))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ spans: [1, 2] })
  })

  it('answers a single piece with one read', async () => {
    const reader = readerOf(['{}'])
    expect(await (await answer(reader)).text()).toBe('{}')
    expect(reader.calls).toEqual(['open 50'])
  })

  it('reads no faster than the client', async () => {
    const reader = readerOf(['[', '1,', '2,', '3,', '4]'])
    const response = await answer(reader)
    await settled()
    expect(reader.calls.filter((calls) => calls.startsWith('next'))).toHaveLength(0)
    const body = response.body?.getReader()
    await body?.read()
    await body?.read()
    await settled()
    expect(reader.calls.filter((calls) => calls.startsWith('next'))).toHaveLength(2)
  })

  it('closes the reading when the client cancels', async () => {
    const reader = readerOf(['[', '', '1]'])
    const response = await answer(reader)
    await response.body?.cancel()
    await settled()
    expect(reader.calls.at(-1)).toBe('close 7')
  })

  it('closes the reading for HEAD', async () => {
    const reader = readerOf(['[', '1]'])
    expect((await answer(reader, 'HEAD')).status).toBe(200)
    expect(reader.calls.at(-1)).toBe('close 7')
  })

  it('answers 503 when too many traces are read, and null when none is stored', async () => {
    expect((await answer({ ...readerOf([]), openTrace: async () => 'busy' })).status).toBe(503)
    expect((await answer({ ...readerOf([]), openTrace: async () => null })).status).toBe(404)
  })
})
