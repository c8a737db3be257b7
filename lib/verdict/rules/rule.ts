import type { JudgedFrom } from '../../contract/settings'
import type { Evidence } from '../evidence/evidence'
import type { Verdict } from '../verdict'
import type { AllowedValue } from './privacy-allowlist'

/** Rule ids as used in a configuration: rules of settings in the order of the settings, then the others. */
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
  'trace-context',
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
  'conventions',
] as const

export type RuleId = (typeof RULE_IDS)[number]

/** An `error` fails the check; a `warning` is only reported. */
export type Severity = 'error' | 'warning'

export type SenderKind = 'pages' | 'JavaScript SDKs'

/** A request made by the browser, as observed by the test runner. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  /** The address of the page, not of the frame. */
  readonly pageUrl: string
  /** Made by a frame of another origin than the page, such as a payment form. */
  readonly isEmbedded: boolean
  /** Unique per page load over all tabs; `null` for a request without a document, such as a service worker's. */
  readonly document: string | null
  /** Playwright's resource type: `document`, `fetch`, `script`. */
  readonly resourceType: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** ms since the epoch. */
  readonly startedAt: number
  /** When the answer was complete or the request failed: ms since the epoch; `null` while it is open. */
  readonly endedAt: number | null
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly fromCache: boolean
  } | null
}

export interface PageLimit {
  readonly page: string
  readonly category: string
  /** ms since the epoch. */
  readonly sentAt: number
  readonly until: number
  /** The first envelope with that category that arrived during the limit. */
  readonly violated: { readonly seq: number; readonly afterMs: number } | null
  readonly verdict: 'obeyed' | 'violated' | 'waiting'
}

/** A time range, in ms since the epoch, from which submissions are missing in the evidence. */
export interface TimeRange {
  readonly from: number
  readonly until: number
}

/** The input of a verdict. Pure data: no clock, no fetch. */
export interface Case {
  readonly evidence: Evidence
  /** Ranges without submissions; left out if the evidence is whole. A streamed trace that overlaps one may lack spans. */
  readonly missing?: readonly TimeRange[]
  /** `null` if no browser was observed. */
  readonly requests: readonly SeenRequest[] | null
  /** Texts of error fallbacks shown on pages; `null` if no browser was observed. */
  readonly fallbacks: readonly { readonly pageUrl: string; readonly text: string }[] | null
  readonly pageLimits: { readonly pages: readonly PageLimit[]; readonly unnamed: number } | null
  /** Values that the rule `privacy` does not report; left out if there are none. */
  readonly harmless?: readonly AllowedValue[]
  /** Address of the collector, `http://127.0.0.1:8969`, or those of merged runs: requests to it are Waystation's own. */
  readonly collectorUrl: string | readonly string[] | null
}

/** One rule of the contract: one file and one line in `registry.ts`. */
export interface Rule {
  /** In kebab case; equal to the setting's id for the rule of a setting. */
  readonly id: RuleId
  readonly title: string
  readonly why: string
  /** The setting that it checks; `null` if it checks none. */
  readonly setting: string | null
  readonly judgedFrom: readonly JudgedFrom[]
  /** Left out if the rule applies to every sender. */
  readonly sentBy?: SenderKind
  /** For any app. `off`: it states a choice of Waystation's own app, which `preset: 'contract'` turns on. */
  readonly severity: 'off' | Severity
  /** With `preset: 'contract'`, and if the rule is named; left out if equal to `severity`. */
  readonly contractSeverity?: Severity
  /** The advice to print if it fails, for each kind of sender that can break it. */
  readonly fix: string
  readonly judge: (given: Case) => Verdict
}
