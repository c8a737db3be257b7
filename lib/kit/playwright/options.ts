import { nameHint } from '../../config/nearest'
import type { AllowedError } from '../../verdict/expectations/unexpected-errors'
import { checkMs } from '../check-options'

/** Options in `use: { waystation: … }` of a Playwright configuration, a project or a file. */
export interface WaystationOptions {
  /** Address of the collector; by default `WAYSTATION_COLLECTOR_URL`, which `waystation run` sets. */
  readonly collectorUrl?: string
  /** Address of the boards for links in failures; by default `WAYSTATION_APP_URL`. */
  readonly appUrl?: string
  /** Further origins (besides `baseURL`) whose pages and servers belong to the test: `http://127.0.0.1:4000`. */
  readonly origins?: readonly string[]
  /** Reaction to unexpected errors: `fail` the test (default), add a warning, or ignore them. */
  readonly unexpectedErrors?: 'fail' | 'warn' | 'ignore'
  /** Reaction to envelopes that pages posted and that were not answered 2xx: `fail` (default), warn, or ignore them. */
  readonly refusedEnvelopes?: 'fail' | 'warn' | 'ignore'
  /** Pages without a pageload, as paths with `*`: `['/legacy/*']`; with `waystation run` also `expect.pages.without`. */
  readonly pagesWithout?: readonly string[]
  /** Allowed errors. */
  readonly allow?: readonly AllowedError[] | undefined
  /** Default time-out of waits in ms; 10,000 by default. */
  readonly waitMs?: number
  /** ms without new telemetry before the verdict; 300 by default. */
  readonly settleMs?: number
  /** `false` records only tests that use `telemetry`; by default every test with a page. */
  readonly everyTest?: boolean
  /** `false` does not attach `envelopes.txt` to failed tests. It contains all sent bytes, including secrets. */
  readonly attachEnvelopes?: boolean
}

/**
 * The type parameter of Playwright's `defineConfig` for `use: { waystation: … }`.
 * @example export default defineConfig<WaystationTestOptions>({ use: { waystation: { unexpectedErrors: 'warn' } } })
 */
export interface WaystationTestOptions {
  readonly waystation: WaystationOptions
}

export interface Resolved {
  readonly collectorUrl: string
  readonly appUrl: string | null
  readonly origins: readonly string[]
  readonly unexpectedErrors: 'fail' | 'warn' | 'ignore'
  readonly refusedEnvelopes: 'fail' | 'warn' | 'ignore'
  readonly pagesWithout: readonly string[]
  readonly allow: readonly AllowedError[]
  readonly waitMs: number | undefined
  readonly settleMs: number | undefined
  /** `WAYSTATION_TOKEN`. Not an option, because options are stored in files. */
  readonly token: string | null
  readonly attachEnvelopes: boolean
}

const NAMES = [
  'collectorUrl',
  'appUrl',
  'origins',
  'unexpectedErrors',
  'refusedEnvelopes',
  'pagesWithout',
  'allow',
  'waitMs',
  'settleMs',
  'everyTest',
  'attachEnvelopes',
]
const REACTIONS = ['fail', 'warn', 'ignore']

export const RUN_WITH = 'run the tests as: waystation run -- npx playwright test'

/** @throws TypeError for an invalid or missing option. */
export function resolveOptions(
  given: WaystationOptions,
  baseUrl: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Resolved {
  for (const name of Object.keys(given))
    if (!NAMES.includes(name)) throw new TypeError(`waystation.${name} is not an option; ${nameHint(name, NAMES)}`)
  const {
    unexpectedErrors = 'fail',
    refusedEnvelopes = 'fail',
    pagesWithout = [],
    allow = [],
    waitMs,
    settleMs,
  } = given
  checkReaction('unexpectedErrors', unexpectedErrors)
  checkReaction('refusedEnvelopes', refusedEnvelopes)
  if (!Array.isArray(pagesWithout) || pagesWithout.some((path) => typeof path !== 'string' || !path.startsWith('/')))
    throw new TypeError(
      `waystation.pagesWithout must be a list of paths, such as ['/legacy/*'], got ${JSON.stringify(pagesWithout)}`,
    )
  if (waitMs !== undefined) checkMs('waystation.waitMs', waitMs, 1)
  if (settleMs !== undefined) checkMs('waystation.settleMs', settleMs, 0)
  const collectorUrl = given.collectorUrl ?? env.WAYSTATION_COLLECTOR_URL
  if (collectorUrl === undefined || collectorUrl === '')
    throw new TypeError(`WAYSTATION_COLLECTOR_URL is not set, so there is no collector; ${RUN_WITH}`)
  const origins = [...(baseUrl === undefined || baseUrl === '' ? [] : [baseUrl]), ...(given.origins ?? [])]
  const appUrl = given.appUrl ?? env.WAYSTATION_APP_URL
  const hasApp = appUrl !== undefined && appUrl !== '' && appUrl !== 'off'
  return {
    collectorUrl: originOf('collectorUrl', collectorUrl),
    // The collector serves the boards, too; after the run, `waystation show` does at the same address.
    appUrl: hasApp ? originOf('appUrl', appUrl) : originOf('collectorUrl', collectorUrl),
    origins: [...new Set(origins.map((one) => originOf('origins', one)))],
    attachEnvelopes: given.attachEnvelopes ?? true,
    unexpectedErrors,
    refusedEnvelopes,
    pagesWithout,
    allow,
    waitMs,
    settleMs,
    token: env.WAYSTATION_TOKEN ? env.WAYSTATION_TOKEN : null,
  }
}

function checkReaction(name: string, value: string): void {
  if (!REACTIONS.includes(value))
    throw new TypeError(
      `waystation.${name} must be fail, warn or ignore, got ${JSON.stringify(value)}; ${nameHint(String(value), REACTIONS)}`,
    )
}

function originOf(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).origin
  throw new TypeError(
    `waystation.${name} must be an address such as http://127.0.0.1:8969, got ${JSON.stringify(text)}`,
  )
}
