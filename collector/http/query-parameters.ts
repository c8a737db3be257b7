import type { Context } from 'hono'
import { hintAt } from '../../lib/config/nearest'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import {
  DEFAULT_PAGE,
  LARGEST_PAGE,
  type ListPosition,
  type PageRequest,
  readCursor,
} from '../../lib/wire/list-position'

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
): Result<{ readonly place: ListPosition; readonly page: PageRequest }, WrongParameter> {
  const limit = wholeNumber(c, 'limit', { least: 1, most: LARGEST_PAGE, otherwise: DEFAULT_PAGE })
  if (!limit.ok) return limit
  const cursor = c.req.query('cursor') ?? null
  const place = readCursor(cursor)
  if (place === null) return fail(`cursor=${cursor?.slice(0, 40)}: meant is the "next" of an earlier page`)
  return succeed({ place, page: { limit: limit.value } })
}

/**
 * Refuses parameters nobody reads, and names the nearest that is read; and those that are there twice, or say nothing.
 * @param flags parameters that say nothing but that they are there.
 */
export function onlyKnown(
  c: Context,
  known: readonly string[],
  flags: readonly string[] = [],
): Result<null, WrongParameter> {
  const malformed = malformedPart(c.req.url)
  if (malformed !== null) return fail(`${malformed.slice(0, 40)}: meant is UTF-8, percent-encoded`)
  for (const [name, values] of Object.entries(c.req.queries())) {
    const given = name.slice(0, 40)
    const all = [...known, ...flags]
    const meant = all.length === 0 ? '' : `; ${hintAt(given, all)}`
    if (!all.includes(name)) return fail(`there is no parameter ${JSON.stringify(given)} here${meant}`)
    if (values.length > 1) return fail(`${given} is there ${values.length} times: meant is once`)
    if (values[0] === '' && !flags.includes(name))
      return fail(`${given} says nothing: leave it out where nothing is meant`)
  }
  return succeed(null)
}

/** The part of an address behind its question mark that no encoder writes: `%zz`, or bytes that are no text. */
function malformedPart(url: string): string | null {
  const { search } = new URL(url)
  return (
    search
      .slice(1)
      .split('&')
      .find((part) => !isDecodable(part)) ?? null
  )
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}
