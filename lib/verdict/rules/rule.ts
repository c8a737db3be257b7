import type { JudgedFrom } from '../../contract/settings'
import type { Evidence } from '../evidence/evidence'
import type { Verdict } from '../verdict'

/** What each rule is called in a configuration: those of the settings in the order of the settings, then the others. */
export const RULE_IDS = [
  'event-buffer',
  'breadcrumbs',
  'span-recorder',
  'rate-limit-back-off',
  'idle-timeout',
  'final-timeout',
  'heartbeat',
  'environment',
  'prefetch-freshness',
  'cache-duration',
  'names',
  'not-found',
  'trace-headers',
  'trace-headers-probe',
  'tunnel',
  'error-fallback',
  'unhandled-errors',
  'privacy',
  'duplicate-ids',
  'oversized',
  'n-plus-one',
  'orphans',
  'missing-release',
  'clock-skew',
] as const

export type RuleId = (typeof RULE_IDS)[number]

/** What a failure is worth: an `error` fails a check, a `warning` is told. */
export type Severity = 'error' | 'warning'

/** Whose telemetry a rule may be of alone. */
export type Sender = 'pages' | 'JavaScript SDKs'

/** A request that the browser itself was seen to make. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  /** Of the page that made it, and not of the frame. */
  readonly pageUrl: string
  /** A frame made it that shows another origin than its page: it is that of somebody else. */
  readonly isEmbedded: boolean
  /** One name per page load, over all tabs; `null` where no document made it, such as a service worker. */
  readonly document: string | null
  /** `document`, `fetch`, `script`: as Playwright calls it. */
  readonly resourceType: string
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** ms since the epoch. */
  readonly startedAt: number
  /** When its answer was there, or it had failed: ms since the epoch; `null` while it is open. */
  readonly endedAt: number | null
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly fromCache: boolean
  } | null
}

/** What one page was told of a limit, and what came from it afterwards. */
export interface PageLimit {
  readonly page: string
  readonly category: string
  /** ms since the epoch. */
  readonly sentAt: number
  readonly until: number
  /** The first that came while the limit ran. */
  readonly violated: { readonly seq: number; readonly afterMs: number } | null
  readonly verdict: 'obeyed' | 'violated' | 'waiting'
}

/** Submissions that are on record or were, and are not in the evidence, came between these: ms since the epoch. */
export interface Unseen {
  readonly from: number
  readonly until: number
}

/** All that a verdict may rest on. Pure data: no clock, no fetch. */
export interface Case {
  readonly evidence: Evidence
  /** What is missing of it: absent where nothing is. A streamed trace that began before the end of one may lack spans. */
  readonly unseen?: readonly Unseen[]
  /** `null` where nobody watched the browser. */
  readonly requests: readonly SeenRequest[] | null
  /** Text of error fallbacks that were seen on pages; `null` where nobody watched. */
  readonly fallbacks: readonly { readonly pageUrl: string; readonly text: string }[] | null
  readonly limits: { readonly pages: readonly PageLimit[]; readonly unnamed: number } | null
  /** Where the collector is, `http://127.0.0.1:8969`: requests to it are the line's own. */
  readonly collectorUrl: string | null
}

/** One rule of the contract: one file, and one line in `registry.ts`. */
export interface Rule {
  /** In kebab case; of a setting's rule the setting's id. */
  readonly id: RuleId
  readonly title: string
  /** Why it matters, in one sentence. */
  readonly why: string
  /** The setting that it checks; `null` where it comes from none. */
  readonly setting: string | null
  readonly judgedFrom: readonly JudgedFrom[]
  /** Left out where it is of anybody's telemetry. */
  readonly sentBy?: Sender
  readonly severity: Severity
  /** What to do where it fails, for whoever may break it: an SDK of any language, where any is judged. */
  readonly fix: string
  readonly judge: (given: Case) => Verdict
}
