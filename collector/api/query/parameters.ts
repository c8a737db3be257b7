import type { Context } from 'hono'
import { nameHint, similarName } from '../../../lib/config/nearest'
import { hex32 } from '../../../lib/protocol/ids'
import { isStamp, STAMP_FORMAT } from '../../../lib/protocol/request'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import type { RefusedField } from '../../../lib/wire/errors'
import {
  DEFAULT_PAGE,
  LARGEST_PAGE,
  type ListPosition,
  type PageRequest,
  readCursor,
} from '../../../lib/wire/list-paging'
import { problem } from '../../runtime/problem'

/** Why a query cannot be answered: the parameter, the value that was read, and what is valid. */
export interface ParameterError extends RefusedField {
  /** The same as one sentence. */
  readonly detail: string
}

/** An error message repeats this much of a received value. */
export const shorten = (text: string): string => text.slice(0, 40)

const parameterError = (
  [reason, field, value]: readonly [reason: RefusedField['reason'], field: string, value: string],
  detail: string,
  further: Partial<RefusedField> = {},
): ParameterError => ({ detail, reason, field: shorten(field), value: shorten(value), suggestion: null, ...further })

/** A value that is not valid. @param why continues the sentence `name=value: …` */
export const invalidValue = (
  field: string,
  value: string,
  why: string,
  suggestion: string | null = null,
): ParameterError => parameterError(['invalid', field, value], `${field}=${shorten(value)}: ${why}`, { suggestion })

/** A parameter that another one excludes. */
export const conflict = (c: Context, field: string, conflictsWith: string, why: string): ParameterError =>
  parameterError(
    ['conflict', field, c.req.query(field) ?? ''],
    `${field}: not possible with ${conflictsWith}; ${why}`,
    {
      conflictsWith,
    },
  )

/** Rejects unknown, repeated and empty parameters, and bytes that are not UTF-8. Flags have no value. */
export function checkParameters(
  c: Context,
  known: readonly string[],
  flags: readonly string[] = [],
): Result<null, ParameterError> {
  const malformed = malformedPart(c.req.url)
  if (malformed !== null) {
    const [field = '', ...value] = malformed.split('=')
    const detail = `${shorten(malformed)}: must be percent-encoded UTF-8`
    return fail(parameterError(['malformed', field, value.join('=')], detail))
  }
  const all = [...known, ...flags]
  for (const [name, values] of Object.entries(c.req.queries())) {
    const given = shorten(name)
    const [value = ''] = values
    if (!all.includes(name)) {
      const hint = all.length === 0 ? '' : `; ${nameHint(given, all)}`
      const detail = `there is no parameter ${JSON.stringify(given)} here${hint}`
      return fail(parameterError(['unknown', name, value], detail, { suggestion: similarName(given, all) }))
    }
    if (values.length > 1) {
      const detail = `${given} is given ${values.length} times; give it once`
      return fail(parameterError(['repeated', name, value], detail))
    }
    if (value === '' && !flags.includes(name))
      return fail(parameterError(['empty', name, value], `${given} is empty; give it a value or leave it out`))
  }
  return succeed(null)
}

/** The first part of the query that no encoder writes: `%zz`, or bytes that are not UTF-8. */
function malformedPart(url: string): string | null {
  const parts = new URL(url).search.slice(1).split('&')
  return parts.find((part) => !isDecodable(part)) ?? null
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

/** Reads a whole number within bounds, or its default when the parameter is missing. */
export function integerParameter(
  c: Context,
  name: string,
  bounds: { readonly least: number; readonly most: number; readonly fallback: number },
): Result<number, ParameterError> {
  const text = c.req.query(name)
  if (text === undefined) return succeed(bounds.fallback)
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (value >= bounds.least && value <= bounds.most) return succeed(value)
  return fail(invalidValue(name, text, `must be a whole number from ${bounds.least} to ${bounds.most}`))
}

export function stampParameter(c: Context): Result<string | null, ParameterError> {
  const stamp = c.req.query('stamp') ?? null
  return stamp === null || isStamp(stamp)
    ? succeed(stamp)
    : fail(invalidValue('stamp', stamp, `must be ${STAMP_FORMAT}`))
}

export function pageParameters(
  c: Context,
): Result<{ readonly position: ListPosition; readonly page: PageRequest }, ParameterError> {
  const limit = integerParameter(c, 'limit', { least: 1, most: LARGEST_PAGE, fallback: DEFAULT_PAGE })
  if (!limit.ok) return limit
  const cursor = c.req.query('cursor') ?? null
  const position = readCursor(cursor)
  if (position === null) return fail(invalidValue('cursor', cursor ?? '', 'must be the "next" of an earlier page'))
  return succeed({ position, page: { limit: limit.value } })
}

export const badRequest = (c: Context, { detail, ...refused }: ParameterError): Response =>
  problem(c, { status: 400, detail }, refused)

export const notFound = (c: Context, noun: string, id: string): Response =>
  problem(c, { status: 404, detail: `no ${noun} ${shorten(id)} is stored: it is not digested yet, or was evicted` })

export const invalidId = (noun: string, given: string, digits = 32): ParameterError => ({
  ...invalidValue(noun, given, ''),
  detail: `${JSON.stringify(shorten(given))} is not a ${noun} id; it must have ${digits} hex digits`,
})

export const invalidNumber = (noun: string, given: string): ParameterError => ({
  ...invalidValue(noun, given, ''),
  detail: `${JSON.stringify(shorten(given))} is not ${noun === 'envelope' ? 'an' : 'a'} ${noun} number`,
})

export const isNumberText = (text: string): boolean => /^\d{1,15}$/.test(text)

export async function answerPlain(c: Context, read: () => Promise<object>): Promise<Response> {
  const checked = checkParameters(c, [])
  return checked.ok ? c.json(await read()) : badRequest(c, checked.error)
}

export async function answerById(
  c: Context,
  noun: string,
  read: (id: string) => Promise<object | null>,
): Promise<Response> {
  const checked = checkParameters(c, [])
  if (!checked.ok) return badRequest(c, checked.error)
  const given = c.req.param('id') ?? ''
  const id = hex32(given)
  if (id === null) return badRequest(c, invalidId(noun, given))
  const found = await read(id)
  return found === null ? notFound(c, noun, given) : c.json(found)
}

export async function answerByNumber(
  c: Context,
  noun: string,
  read: (n: number) => Promise<object | null>,
): Promise<Response> {
  const checked = checkParameters(c, [])
  if (!checked.ok) return badRequest(c, checked.error)
  const given = c.req.param('id') ?? ''
  if (!isNumberText(given)) return badRequest(c, invalidNumber(noun, given))
  const found = await read(Number(given))
  return found === null ? notFound(c, noun, given) : c.json(found)
}
