import type { Context } from 'hono'
import { hex32 } from '../../lib/protocol/json'
import { onlyKnown } from './query-parameters'
import { problem } from './refusal'

/** What was read, and what is meant. */
export const wrong = (c: Context, detail: string): Response => problem(c, { status: 400, detail })

export const missing = (c: Context, noun: string, id: string): Response =>
  problem(c, {
    status: 404,
    detail: `no ${noun} ${id.slice(0, 40)} is kept here; it may still be on its way, or have gone to make room`,
  })

export const noHexId = (noun: string, given: string, digits = 32): string =>
  `${JSON.stringify(given.slice(0, 40))} is no ${noun} id: meant are ${digits} hex digits`

/** One thing by the id in the path. */
export async function byHexId(
  c: Context,
  noun: string,
  read: (id: string) => Promise<object | null>,
): Promise<Response> {
  const known = onlyKnown(c, [])
  if (!known.ok) return wrong(c, known.error)
  const given = c.req.param('id') ?? ''
  const id = hex32(given)
  if (id === null) return wrong(c, noHexId(noun, given))
  const found = await read(id)
  return found === null ? missing(c, noun, given) : c.json(found)
}

/** One thing by the number in the path. */
export async function byNumber(
  c: Context,
  noun: string,
  read: (n: number) => Promise<object | null>,
): Promise<Response> {
  const known = onlyKnown(c, [])
  if (!known.ok) return wrong(c, known.error)
  const given = c.req.param('id') ?? ''
  if (!/^\d{1,15}$/.test(given)) return wrong(c, `${JSON.stringify(given.slice(0, 40))} is no ${noun} number`)
  const found = await read(Number(given))
  return found === null ? missing(c, noun, given) : c.json(found)
}
