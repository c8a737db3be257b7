import * as z from 'zod'
import { isRegExp } from '../text'
import { wildcard } from './pattern-text'

/** Telemetry that a run must contain. A field that is left out is not checked. */
export interface ExpectedTelemetry {
  /** The only environments of events and segments. */
  readonly environment?: string | readonly string[] | undefined
  /** The release of events and segments: a text in which `*` is any text, or a regular expression, as text `/^shop@/`. */
  readonly release?: string | RegExp | undefined
  /** Services that send something: `browser`, `server`, `edge`, or the name of another SDK's platform. */
  readonly services?: readonly string[] | undefined
  readonly pageloads?: { readonly min?: number | undefined } | undefined
  /** Events of level error and fatal. */
  readonly errors?: { readonly min?: number | undefined } | undefined
  /** Names of transactions, or op and name; `*` is any text: `GET /api/*`, `pageload /checkout`. Each must occur. */
  readonly transactions?: readonly string[] | undefined
  /** `without`: paths of documents that send no pageload; `*` is any text: `/legacy/*`. `none`: no page sends telemetry. */
  readonly pages?: 'none' | { readonly without?: readonly string[] | undefined } | undefined
}

/** The sample rate of traces by service, from 0 to 1. */
export type Sampling = Readonly<Record<string, number>>

/** Paths of documents that send no pageload: of all, if none sends anything, or if no pageload is expected. */
export const pagesWithoutPageload = ({ pageloads, pages }: ExpectedTelemetry): readonly string[] =>
  pages === 'none' || pageloads?.min === 0 ? [ANY_PAGE] : (pages?.without ?? [])

const ANY_PAGE = '*'

/** Does the configuration say that pages send nothing, or no pageload? */
export const expectsNoPageloads = (expected: ExpectedTelemetry): boolean =>
  pagesWithoutPageload(expected).includes(ANY_PAGE)

/**
 * Does a document with this path send no pageload?
 * @param path without query and fragment: `/legacy/cart`
 */
export const isExemptPage = (path: string, expected: ExpectedTelemetry): boolean =>
  pagesWithoutPageload(expected).some((pattern) => wildcard(pattern)(path))

/** A test for the expected release. A text between slashes is the source of a regular expression, with its flags. */
export function releaseTest(release: string | RegExp): (value: string) => boolean {
  if (typeof release !== 'string')
    return (value) => new RegExp(release.source, release.flags.replace(/[gy]/g, '')).test(value)
  const source = asExpression(release)
  return source === null ? wildcard(release) : (value) => source.test(value)
}

/** @returns `null` for a text that is none. @throws SyntaxError for an invalid one. */
function asExpression(text: string): RegExp | null {
  const [, source, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? []
  return source === undefined ? null : new RegExp(source, flags.replace(/[gy]/g, ''))
}

const isValidRelease = (value: unknown): value is string | RegExp => {
  if (isRegExp(value)) return true
  if (typeof value !== 'string' || value === '') return false
  try {
    asExpression(value)
    return true
  } catch {
    return false
  }
}

const name = z.string().min(1)
const names = z.array(name).min(1)
const least = z.strictObject({ min: z.int().min(0).optional() })
const path = z.string().startsWith('/')

export const expectSchema = z.strictObject({
  environment: z.union([name, names]).optional(),
  release: z.custom<string | RegExp>(isValidRelease).optional(),
  services: names.optional(),
  pageloads: least.optional(),
  errors: least.optional(),
  transactions: names.optional(),
  pages: z.union([z.literal('none'), z.strictObject({ without: z.array(path).optional() })]).optional(),
})

export const samplingSchema = z.record(name, z.number().min(0).max(1))

/** The valid values by path, for messages; `*` stands for a name or an index. */
export const VALID_EXPECTED: Readonly<Record<string, string>> = {
  expect: "an object such as { environment: 'test', pageloads: { min: 1 } }",
  'expect.environment': "a name such as 'test', or a list of names",
  'expect.release': "a text such as 'shop@*', or a regular expression such as /^shop@\\d+/",
  'expect.services': "a list such as ['browser', 'server']",
  'expect.pageloads': 'an object such as { min: 1 }',
  'expect.pageloads.min': 'a whole number from 0 on',
  'expect.errors': 'an object such as { min: 1 }',
  'expect.errors.min': 'a whole number from 0 on',
  'expect.transactions': "a list such as ['/checkout', 'GET /api/*']",
  'expect.pages': "'none', or an object such as { without: ['/legacy/*'] }",
  'expect.pages.without': "a list of paths such as ['/legacy/*']",
  'expect.*': 'a text that is not empty',
  'expect.pages.without.*': "a path such as '/legacy/*'",
  sampling: 'an object of rates by service, such as { browser: 1, server: 0.5 }',
  'sampling.*': 'a rate from 0 to 1',
}

/** The known fields by path, for hints. */
export const NAMES_EXPECTED: Readonly<Record<string, readonly string[]>> = {
  expect: Object.keys(expectSchema.shape),
  'expect.pageloads': ['min'],
  'expect.errors': ['min'],
  'expect.pages': ['without'],
}
