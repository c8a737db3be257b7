import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { answerTrace, type TraceReader } from '../../../collector/http/trace'

const ID = 'a'.repeat(32)
const encoder = new TextEncoder()

/** A reader that gives these pieces, and tells what it was asked. */
function readerOf(pieces: readonly string[]): TraceReader & { readonly asked: readonly string[] } {
  const asked: string[] = []
  let at = 0
  const next = () => {
    const text = pieces[at] ?? ''
    at += 1
    return { bytes: encoder.encode(text), reading: at < pieces.length ? 7 : null }
  }
  return {
    asked,
    openTrace: async (_id, most) => {
      asked.push(`open ${most}`)
      return next()
    },
    nextOfTrace: async (reading) => {
      asked.push(`next ${reading}`)
      return next()
    },
    closeTrace: async (reading) => {
      asked.push(`close ${reading}`)
    },
  }
}

async function answer(reader: TraceReader, method = 'GET'): Promise<Response> {
  const app = new Hono()
  app.get('/', async (c) => (await answerTrace(c, reader, ID, 50)) ?? c.notFound())
  return app.request('/', { method })
}

/** Lets everything that is under way come to rest. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

describe('a trace as an answer', () => {
  it('is one document, whatever pieces it is read in', async () => {
    const response = await answer(readerOf(['{"spans":', '[1,', '', '', '2]', '}']))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ spans: [1, 2] })
  })

  it('of one piece has a length, and leaves nothing to ask for', async () => {
    const reader = readerOf(['{}'])
    expect(await (await answer(reader)).text()).toBe('{}')
    expect(reader.asked).toEqual(['open 50'])
  })

  it('is read no faster than it is taken', async () => {
    const reader = readerOf(['[', '1,', '2,', '3,', '4]'])
    const response = await answer(reader)
    await settled()
    expect(reader.asked.filter((asked) => asked.startsWith('next'))).toHaveLength(0)
    const body = response.body?.getReader()
    await body?.read()
    await body?.read()
    await settled()
    expect(reader.asked.filter((asked) => asked.startsWith('next'))).toHaveLength(2)
  })

  it('is closed when nobody takes the rest', async () => {
    const reader = readerOf(['[', '', '1]'])
    const response = await answer(reader)
    await response.body?.cancel()
    await settled()
    expect(reader.asked.at(-1)).toBe('close 7')
  })

  it('is closed where only its head is asked for', async () => {
    const reader = readerOf(['[', '1]'])
    expect((await answer(reader, 'HEAD')).status).toBe(200)
    expect(reader.asked.at(-1)).toBe('close 7')
  })

  it('is refused where too many are being read, and missing where none is kept', async () => {
    expect((await answer({ ...readerOf([]), openTrace: async () => 'busy' })).status).toBe(503)
    expect((await answer({ ...readerOf([]), openTrace: async () => null })).status).toBe(404)
  })
})
