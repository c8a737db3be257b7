import { nameHint } from '../../config/nearest'
import type { AllowedError } from '../../verdict/expectations/unexpected-errors'
import { checkMs } from '../check-options'

/** What the kit is told in `use: { waystation: … }` of a Playwright configuration, a project or a file. */
export interface WaystationOptions {
  /** Where the collector listens; `WAYSTATION_COLLECTOR_URL` when left out, which `waystation run` sets. */
  readonly collectorUrl?: string
  /** Where the boards are, for links in failures; `WAYSTATION_APP_URL` when left out. */
  readonly appUrl?: string
  /** Origins beside `baseURL` whose pages and servers belong to the test: `http://127.0.0.1:4000`. */
  readonly origins?: readonly string[]
  /** What an error event does that nobody allowed: `fail` the test, which is the default, be told, or nothing. */
  readonly unexpectedErrors?: 'fail' | 'warn' | 'ignore'
  /** Errors that are known. */
  readonly allow?: readonly AllowedError[] | undefined
  /** ms that a wait lasts where it does not say; 10,000 when left out. */
  readonly waitMs?: number
  /** ms in which nothing may come before a test is judged; 300 when left out. */
  readonly settleMs?: number
  /** `false`: only tests that ask for `telemetry` are recorded and judged, and not each that has a page. */
  readonly everyTest?: boolean
  /**
   * `false`: a test that failed has no `envelopes.txt` attached, which has the bytes that were sent, secrets in clear, and
   * goes wherever reports go.
   */
  readonly attachEnvelopes?: boolean
}

/**
 * For `defineConfig` of Playwright, which then knows `use: { waystation: … }`.
 * @example export default defineConfig<WaystationTestOptions>({ use: { waystation: { unexpectedErrors: 'warn' } } })
 */
export interface WaystationTestOptions {
  readonly waystation: WaystationOptions
}

/** The options with what the environment says. */
export interface Resolved {
  readonly collectorUrl: string
  readonly appUrl: string | null
  readonly origins: readonly string[]
  readonly unexpectedErrors: 'fail' | 'warn' | 'ignore'
  readonly allow: readonly AllowedError[]
  readonly waitMs: number | undefined
  readonly settleMs: number | undefined
  /** What guards the collector: `WAYSTATION_TOKEN`, and no option, for options stand in files. */
  readonly token: string | null
  readonly attachEnvelopes: boolean
}

const NAMES = [
  'collectorUrl',
  'appUrl',
  'origins',
  'unexpectedErrors',
  'allow',
  'waitMs',
  'settleMs',
  'everyTest',
  'attachEnvelopes',
]
const ERRORS = ['fail', 'warn', 'ignore']

/** How a run finds its collector, for whoever has none. */
export const RUN_WITH = 'run the tests as: waystation run -- npx playwright test'

/** @throws TypeError where an option is wrong, or says nothing that is needed. */
export function resolveOptions(
  given: WaystationOptions,
  baseUrl: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Resolved {
  for (const name of Object.keys(given))
    if (!NAMES.includes(name)) throw new TypeError(`waystation.${name} is no option; ${nameHint(name, NAMES)}`)
  const { unexpectedErrors = 'fail', allow = [], waitMs, settleMs } = given
  if (!ERRORS.includes(unexpectedErrors))
    throw new TypeError(
      `waystation.unexpectedErrors is ${JSON.stringify(unexpectedErrors)}; ${nameHint(String(unexpectedErrors), ERRORS)}`,
    )
  if (waitMs !== undefined) checkMs('waystation.waitMs', waitMs, 1)
  if (settleMs !== undefined) checkMs('waystation.settleMs', settleMs, 0)
  const collectorUrl = given.collectorUrl ?? env.WAYSTATION_COLLECTOR_URL
  if (collectorUrl === undefined || collectorUrl === '')
    throw new TypeError(`there is no collector to ask: WAYSTATION_COLLECTOR_URL is not set. ${capital(RUN_WITH)}`)
  const origins = [...(baseUrl === undefined || baseUrl === '' ? [] : [baseUrl]), ...(given.origins ?? [])]
  const appUrl = given.appUrl ?? env.WAYSTATION_APP_URL
  return {
    collectorUrl: originOf('collectorUrl', collectorUrl),
    appUrl: appUrl === undefined || appUrl === '' ? null : originOf('appUrl', appUrl),
    origins: [...new Set(origins.map((one) => originOf('origins', one)))],
    attachEnvelopes: given.attachEnvelopes ?? true,
    unexpectedErrors,
    allow,
    waitMs,
    settleMs,
    token: env.WAYSTATION_TOKEN ? env.WAYSTATION_TOKEN : null,
  }
}

function originOf(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).origin
  throw new TypeError(`waystation.${name} is ${JSON.stringify(text)}, and is meant as http://127.0.0.1:8969`)
}

const capital = (sentence: string): string => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
