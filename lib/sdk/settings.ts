import type { BrowserOptions } from '@sentry/nextjs'
import { BREADCRUMBS, isTunnelPath, TUNNEL_PATH } from '../contract/values'
import { type ConsentPolicy, isConsent, NO_CONSENT_POLICY } from '../protocol/consent'

/** Settings that an SDK receives at run time, so that one build serves every configuration. */
export interface TelemetrySettings {
  readonly dsn: string
  readonly lifecycle: 'static' | 'stream'
  readonly environment: string
  readonly release: string | null
  readonly consent: ConsentPolicy
  /** The path of the tunnel. */
  readonly tunnel: string
}

/** The part that the SDKs of servers need, too. */
export type SdkSettings = Omit<TelemetrySettings, 'consent' | 'tunnel'>

/** The path from which a document without the attribute fetches the settings. */
export const SETTINGS_PATH = '/settings'

/** Parses settings from an attribute or an answer; `null` when one is missing or invalid. */
export function parseSettings(text: string | null): TelemetrySettings | null {
  if (text === null || text === '') return null
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) return null
  const { dsn, lifecycle, environment, release, consent, tunnel } = Object.assign({ release: null }, value) as Record<
    string,
    unknown
  >
  if (typeof dsn !== 'string' || typeof environment !== 'string') return null
  if (lifecycle !== 'static' && lifecycle !== 'stream') return null
  return {
    dsn,
    lifecycle,
    environment,
    release: typeof release === 'string' ? release : null,
    consent: parsePolicy(consent),
    tunnel: typeof tunnel === 'string' && isTunnelPath(tunnel) ? tunnel : TUNNEL_PATH,
  }
}

function parsePolicy(value: unknown): ConsentPolicy {
  if (typeof value !== 'object' || value === null) return NO_CONSENT_POLICY
  const { byDefault, bySignal } = value as Record<string, unknown>
  if (!isConsent(byDefault)) return NO_CONSENT_POLICY
  return { byDefault, bySignal: bySignal === 'off' || bySignal === 'errors' ? bySignal : null }
}

type DataCollection = NonNullable<BrowserOptions['dataCollection']>

/** Headers that explain a request and identify nobody. */
const HEADERS = [
  'accept',
  'accept-language',
  'content-length',
  'content-type',
  'host',
  'next-action',
  'next-router-prefetch',
  'origin',
  'rsc',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'user-agent',
]

/** No cookies, bodies, auth headers, users or local variables. The SDK collects every kind that is not listed. */
const DATA_COLLECTION: DataCollection = {
  userInfo: false,
  cookies: false,
  httpHeaders: { request: { allow: HEADERS }, response: { allow: ['content-length', 'content-type'] } },
  httpBodies: [],
  urlQueryParams: true,
  graphQL: { document: false, variables: false },
  genAI: { inputs: false, outputs: false },
  databaseQueryData: false,
  queues: false,
  stackFrameVariables: false,
  frameContextLines: 5,
}

/** Share of page loads and navigations that pages time. */
export const PAGE_SAMPLE_RATE = 1

/** The options of the SDK in every runtime. */
export const commonOptions = ({ dsn, environment, release, lifecycle }: SdkSettings) => ({
  dsn,
  environment,
  ...(release !== null && { release }),
  traceLifecycle: lifecycle,
  maxBreadcrumbs: BREADCRUMBS,
  dataCollection: DATA_COLLECTION,
})
