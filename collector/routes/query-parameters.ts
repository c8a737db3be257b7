import type { Context } from 'hono'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { DEFAULT_PAGE, LARGEST_PAGE, type ListPlace, type PageRequest, readCursor } from '../store/page'

/** A wrong parameter: what was read and what was meant, answered with 400. */
export type WrongParameter = string

/** A whole number within bounds; its default when left out. */
export function wholeNumber(
  c: Context,
  name: string,
  bounds: { readonly least: number; readonly most: number; readonly otherwise: number },
): Result<number, WrongParameter> {
  const text = c.req.query(name)
  if (text === undefined) return succeed(bounds.otherwise)
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (value >= bounds.least && value <= bounds.most) return succeed(value)
  return fail(`${name}=${text.slice(0, 40)}: meant is a whole number from ${bounds.least} to ${bounds.most}`)
}

/** `cursor` and `limit` of a list. */
export function pageRequest(
  c: Context,
): Result<{ readonly place: ListPlace; readonly page: PageRequest }, WrongParameter> {
  const limit = wholeNumber(c, 'limit', { least: 1, most: LARGEST_PAGE, otherwise: DEFAULT_PAGE })
  if (!limit.ok) return limit
  const cursor = c.req.query('cursor') ?? null
  const place = readCursor(cursor)
  if (place === null) return fail(`cursor=${cursor?.slice(0, 40)}: meant is the "next" of an earlier page`)
  return succeed({ place, page: { cursor, limit: limit.value } })
}

/** Refuses parameters nobody reads, and names the nearest that is read. */
export function onlyKnown(c: Context, known: readonly string[]): Result<null, WrongParameter> {
  for (const name of Object.keys(c.req.query())) {
    if (known.includes(name)) continue
    const nearest = known.toSorted((a, b) => distance(name, a) - distance(name, b))[0]
    return fail(
      `there is no parameter ${JSON.stringify(name.slice(0, 40))} here${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
    )
  }
  return succeed(null)
}

/** Levenshtein's distance, for "did you mean". */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a.slice(0, 40)].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row[b.length] ?? 0
}
