import * as z from 'zod'
import { type Dsn, parseDsn } from '../protocol/dsn'
import { LIMITS, type Limits } from '../protocol/limits'
import { bareHost } from './host'
import { parseLimits } from './limits'
import { parseSize } from './size'

/** Of the disk, for everything that is kept. */
const DEFAULT_MAX_DISK = 2 * 1024 ** 3
/** Less than this would be full before anything useful is in it. */
const LEAST_MAX_DISK = 16 * 1024 ** 2

export const port = (fallback: number) =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined) return fallback
      const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
      if (value >= 0 && value <= 65535) return value
      context.addIssue({ code: 'custom', message: 'a port number from 0 (any free one) to 65535' })
      return z.NEVER
    })

export const onOff = (fallback: boolean) =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined) return fallback
      if (/^(on|true|1|yes)$/i.test(text)) return true
      if (/^(off|false|0|no)$/i.test(text)) return false
      context.addIssue({ code: 'custom', message: 'on or off' })
      return z.NEVER
    })

export const dsn = z.string().transform((text, context): Dsn => {
  const parsed = parseDsn(text)
  if (parsed.ok) return parsed.value
  context.addIssue({ code: 'custom', message: `a Sentry DSN (${parsed.error})` })
  return z.NEVER
})

export const list = <Item>(one: (text: string) => Item | string, meant: string) =>
  z
    .string()
    .optional()
    .transform((text, context): readonly Item[] => {
      const found: Item[] = []
      for (const part of (text ?? '').split(',').map((word) => word.trim())) {
        if (part === '') continue
        const item = one(part)
        if (typeof item === 'string' && item.startsWith('!')) {
          context.addIssue({ code: 'custom', message: `${meant} (${item.slice(1)})` })
          return z.NEVER
        }
        found.push(item as Item)
      }
      return found
    })

export const origin = (text: string): string => {
  if (!URL.canParse(text)) return `!${JSON.stringify(text)} is not an origin`
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol)) return `!${JSON.stringify(text)} is not an origin of http or https`
  // Rebuilt from its origin, so that a default port written out is none.
  return url.href === `${url.origin}/` ? url.origin : `!${JSON.stringify(text)} has more than an origin`
}

/** Compared with the name in a Host header, whose port is cut off by then. */
export const hostAlone = (text: string): string => bareHost(text) ?? `!${JSON.stringify(text)} is not a host name alone`

export const httpUrl = z.string().transform((text, context) => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '')
  context.addIssue({ code: 'custom', message: 'an address such as http://127.0.0.1:8969' })
  return z.NEVER
})

export const host = z.string().transform((text, context) => {
  const bare = bareHost(text)
  if (bare !== null) return bare
  context.addIssue({ code: 'custom', message: 'a host name or address to listen on, without a port' })
  return z.NEVER
})

export const disk = z
  .string()
  .optional()
  .transform((text, context) => {
    const size = text === undefined ? DEFAULT_MAX_DISK : parseSize(text)
    if (size !== null && size >= LEAST_MAX_DISK) return size
    context.addIssue({ code: 'custom', message: 'a size from 16MiB, such as 2GiB' })
    return z.NEVER
  })

export const limits = z
  .string()
  .optional()
  .transform((text, context): Limits => {
    const parsed = parseLimits(text ?? '')
    if (parsed.ok) return parsed.value
    context.addIssue({
      code: 'custom',
      message: `limits such as event=2MiB,items=500 (${parsed.error}; there are ${Object.keys(LIMITS).join(', ')})`,
    })
    return z.NEVER
  })
