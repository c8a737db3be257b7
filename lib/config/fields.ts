import * as z from 'zod'
import { type Dsn, parseDsn } from '../protocol/dsn'
import { fail, type Result, succeed } from '../protocol/result'
import { ROLES } from '../protocol/roles'
import { COUNTS, SIZE_LIMITS, type SizeLimits } from '../protocol/size-limits'
import { MAX_LANES, parseUpstreamAddress, type UpstreamAddress } from '../protocol/upstream-address'
import { nearest } from './nearest'

/** Parsers of single settings. Each error message is the valid format; it continues the sentence `NAME must be …`. */

const field = <Value>(parse: (text: string | undefined) => Value | Invalid) =>
  z
    .string()
    .optional()
    .transform((text, context): Value => {
      const value = parse(text)
      if (!(value instanceof Invalid)) return value
      context.addIssue({ code: 'custom', message: value.valid })
      return z.NEVER
    })

class Invalid {
  constructor(readonly valid: string) {}
}

export const port = (fallback: number) =>
  field((text) => {
    if (text === undefined) return fallback
    const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
    return value >= 0 && value <= 65535 ? value : new Invalid('a port number from 0 (any free one) to 65535')
  })

/** `null` for `off`. */
export const portOrOff = (fallback: number) =>
  field((text): number | null | Invalid => {
    if (text === undefined) return fallback
    if (/^off$/i.test(text)) return null
    const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
    return value >= 0 && value <= 65535 ? value : new Invalid('off or a port number from 0 (any free one) to 65535')
  })

export const onOff = (fallback: boolean) =>
  field((text) => {
    if (text === undefined) return fallback
    if (/^(on|true|1|yes)$/i.test(text)) return true
    return /^(off|false|0|no)$/i.test(text) ? false : new Invalid('on or off')
  })

export const dsn = z.string().transform((text, context): Dsn => {
  const parsed = parseDsn(text)
  if (parsed.ok) return parsed.value
  context.addIssue({ code: 'custom', message: `a Sentry DSN (${parsed.error})` })
  return z.NEVER
})

/** Those of libpq without `allow` and `prefer`: the driver does not fall back to a connection without TLS. */
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full']

/** The part of a URL after user and password, which may have commas. */
const hostsOf = (url: string): string => /^\w+:\/\/(?:[^/]*@)?([^/?]*)/.exec(url)?.[1] ?? ''

/** With host and database; a socket is named by the parameter `host`. */
export const postgresUrl = z
  .string()
  .refine((text) => !hostsOf(text).includes(','), {
    message: 'a URL with one host, which leads to the primary: lists of hosts are not supported',
    abort: true,
  })
  .refine((text) => {
    if (!URL.canParse(text)) return false
    const { protocol, hostname, pathname, searchParams } = new URL(text)
    const isPostgres = protocol === 'postgres:' || protocol === 'postgresql:'
    return isPostgres && pathname.length > 1 && (hostname !== '' || searchParams.has('host'))
  }, 'the URL of a database of PostgreSQL, such as postgres://user:password@host:5432/waystation')
  .refine(
    (text) => {
      if (!URL.canParse(text)) return true
      const { searchParams } = new URL(text)
      const mode = searchParams.get('sslmode')
      return mode === null || (TLS_MODES.includes(mode) && (mode !== 'verify-ca' || searchParams.has('sslrootcert')))
    },
    `a URL whose sslmode is ${TLS_MODES.join(', ')}; verify-ca needs sslrootcert=FILE`,
  )

export const upstreamAddress = z.string().transform((text, context): UpstreamAddress => {
  const parsed = parseUpstreamAddress(text)
  if (parsed.ok) return parsed.value
  context.addIssue({ code: 'custom', message: parsed.error })
  return z.NEVER
})

/** @param valid the format of the list, in plural */
export const list = <Item>(parseItem: (text: string) => Result<Item, string>, valid: string) =>
  field((text): readonly Item[] | Invalid => {
    const items: Item[] = []
    for (const part of (text ?? '').split(',').map((word) => word.trim())) {
      if (part === '') continue
      const item = parseItem(part)
      if (!item.ok) return new Invalid(`${valid} (${item.error})`)
      items.push(item.value)
    }
    return items
  })

/** Reads may not leave a folder, and the root of the file system contains everything. */
export const folder = (text: string): Result<string, string> =>
  /^\/+$/.test(text) ? fail(`${JSON.stringify(text)} is the root of the file system`) : succeed(text)

export function origin(text: string): Result<string, string> {
  if (!URL.canParse(text)) return fail(`${JSON.stringify(text)} is not an origin`)
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) return fail(`${JSON.stringify(text)} is not an origin of http or https`)
  // Uses the parsed origin, because a browser leaves out a default port.
  return url.href === `${url.origin}/`
    ? succeed(url.origin)
    : fail(`${JSON.stringify(text)} has more parts than an origin`)
}

export function hostAlone(text: string): Result<string, string> {
  const host = bareHost(text)
  return host === null ? fail(`${JSON.stringify(text)} is not a host name without a port`) : succeed(host)
}

export const httpUrl = z.string().transform((text, context) => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '')
  context.addIssue({ code: 'custom', message: 'an address such as http://127.0.0.1:8969' })
  return z.NEVER
})

/** An address, or `off`. */
export const httpUrlOrOff = z.union([z.literal('off'), httpUrl])

export const host = z.string().transform((text, context) => {
  const bare = bareHost(text)
  if (bare !== null) return bare
  context.addIssue({ code: 'custom', message: 'a host name or address to listen on, without a port' })
  return z.NEVER
})

const NAME = /^[a-z0-9._-]+$/i
/** Requires two colons: `localhost:3000` is a name with a port. */
const IPV6 = /^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/i

/** Parses a host name or address without a port. Returns IPv6 without brackets; `null` for anything else. */
export function bareHost(text: string): string | null {
  const bare = /^\[([^\]]*)\]$/.exec(text)?.[1]
  if (bare !== undefined) return IPV6.test(bare) ? bare.toLowerCase() : null
  return NAME.test(text) || IPV6.test(text) ? text.toLowerCase() : null
}

/** The address by which this machine reaches a collector that listens on `host`; "every address" becomes loopback. */
export function reachedAt(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

const DEFAULT_MAX_DISK = 2 * 1024 ** 3
/** A smaller budget would be full before it is useful. */
/** A partition of the large tables may have about this size. */
const MIN_STORE_SIZE = 1024 ** 3
const MIN_MAX_DISK = 16 * 1024 ** 2

export const maxDisk = field((text) => {
  const size = text === undefined ? DEFAULT_MAX_DISK : parseSize(text)
  return size !== null && size >= MIN_MAX_DISK ? size : new Invalid('a size from 16MiB, such as 2GiB')
})

/** Bytes; `null` for any size. */
export const storeSize = field((text) => {
  if (text === undefined) return null
  const size = parseSize(text)
  return size !== null && size >= MIN_STORE_SIZE ? size : new Invalid('a size from 1GiB, such as 100GiB')
})

export const lanes = field((text) => {
  const count = text === undefined || /^\d{1,2}$/.test(text) ? Number(text ?? 1) : 0
  return count >= 1 && count <= MAX_LANES ? count : new Invalid(`a number from 1 to ${MAX_LANES}`)
})

/** In the order of `ROLES`, each once. */
export const roles = field((text) => {
  if (text === undefined) return ROLES
  const words = text.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !ROLES.some((role) => role === word))
  if (unknown === undefined) return ROLES.filter((role) => words.includes(role))
  return new Invalid(
    `one or more of ${ROLES.join(', ')}, separated by commas (${JSON.stringify(unknown)} is none of them)`,
  )
})

const HOUR_MS = 3_600_000
const AGE_UNITS_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS }
const MOST_AGE_MS = 3650 * 24 * HOUR_MS

/** Ms; `null` when records are kept at any age. */
export const maxAge = field((text) => {
  if (text === undefined) return null
  const [, count, unit = ''] = /^(\d{1,6})\s*([hdw])$/i.exec(text.trim()) ?? []
  const ms = Number(count) * (AGE_UNITS_MS[unit.toLowerCase()] ?? Number.NaN)
  return ms >= HOUR_MS && ms <= MOST_AGE_MS ? ms : new Invalid('an age from 1h to 3650d, such as 12h, 7d or 4w')
})

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
}

/** Parses `2GiB`, `500 MiB` or `4096` as bytes; `null` for anything else. `KB` and `MB` are binary units too. */
export function parseSize(text: string): number | null {
  const found = /^(\d{1,12}(?:\.\d{1,3})?)\s*([kmgt]?i?b|[kmgt]|)$/i.exec(text.trim())
  if (found === null) return null
  const letters = (found[2] ?? '').toLowerCase()
  const unit = UNITS[letters === '' || letters === 'b' ? letters : `${letters[0]}ib`]
  return unit === undefined ? null : Math.floor(Number(found[1]) * unit)
}

export const sizeLimits = field((text) => {
  const parsed = parseSizeLimits(text ?? '')
  if (parsed.ok) return parsed.value
  return new Invalid(`limits such as event=2MiB,items=500 (${parsed.error}; known are ${LIMIT_NAMES.join(', ')})`)
})

const LIMIT_NAMES = Object.keys(SIZE_LIMITS) as readonly (keyof SizeLimits)[]

/** Traversal is recursive; deeper values would come closer to the end of the call stack. */
const MAX_DEPTH = 200

/**
 * Each item may add a trace or a segment, next to the 20,000 rows of its entries. Together they must fit into the 65,536
 * positions that one record has in a list (`collector/index/traces/trace-position.ts`).
 */
const MAX_ITEMS = 40_000

/** Parses `event=2MiB,items=500`. Limits that are not named keep their default. */
export function parseSizeLimits(text: string): Result<SizeLimits, string> {
  const sizeLimits: Record<keyof SizeLimits, number> = { ...SIZE_LIMITS }
  for (const part of text.split(',').map((word) => word.trim())) {
    if (part === '') continue
    const [name = '', value = ''] = part.split('=').map((word) => word.trim())
    if (!isLimit(name))
      return fail(`unknown limit ${JSON.stringify(name)}; the nearest is ${nearest(name, LIMIT_NAMES)}`)
    const number = COUNTS.has(name) ? parseCount(value) : parseSize(value)
    if (number === null || number < 1)
      return fail(`${name} must be a ${COUNTS.has(name) ? 'whole number from 1' : 'size such as 2MiB'}, got "${value}"`)
    if (name === 'depth' && number > MAX_DEPTH) return fail(`depth must be at most ${MAX_DEPTH}, got ${value}`)
    if (name === 'items' && number > MAX_ITEMS) return fail(`items must be at most ${MAX_ITEMS}, got ${value}`)
    sizeLimits[name] = number
  }
  return succeed(sizeLimits)
}

const isLimit = (name: string): name is keyof SizeLimits => Object.hasOwn(SIZE_LIMITS, name)
const parseCount = (text: string): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null)
