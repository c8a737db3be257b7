/*
 * The values of the runtime contract. Every visitor downloads this file, so it imports nothing and holds no descriptions:
 * those are in `settings.ts`, which only the Contract board loads.
 */

/** Open requests of one SDK client, and open posts of the relay. */
export const EVENT_BUFFER_ITEMS = 30
export const BREADCRUMBS = 100
/** Child spans of one transaction, spans of one streamed container, spans that OpenTelemetry records of one trace. */
export const RECORDED_SPANS = 1000
export const RATE_LIMIT_BACK_OFF_MS = 60_000
export const IDLE_TIMEOUT_MS = 1_000
export const FINAL_TIMEOUT_MS = 30_000
export const HEARTBEAT_MS = 5_000
/** A child span that stays open for three beats ends its pageload or navigation. */
export const CHILD_SPAN_TIMEOUT_MS = 3 * HEARTBEAT_MS
export const DEFAULT_ENVIRONMENT = 'production'
export const PREFETCH_QUEUE = 5
export const PREFETCH_DYNAMIC_S = 30
export const PREFETCH_STATIC_S = 300
export const ROUTE_LOAD_TIMEOUT_MS = 3_800
export const CACHE_DURATION_S = 31_536_000

export const TUNNEL_PATH = '/tunnel'
/** Another path of the tunnel: content blockers know the usual one. */
const NAMED_TUNNEL = /^\/t\/[\w-]{1,64}$/
export const isTunnelPath = (path: string): boolean => path === TUNNEL_PATH || NAMED_TUNNEL.test(path)
/** Pages post spans of OpenTelemetry here, below the tunnel. */
export const TRACES_BELOW = '/v1/traces'
/** The collector's path on the app's own origin. */
export const COLLECTOR_PATH = '/collector'

/**
 * Requests that carry trace headers: localhost on any port, and relative paths of the page's origin, `api/` included,
 * because the SDK resolves a path before it compares. Tunnel and collector are exempt in both forms.
 */
export const TRACE_HEADER_TARGETS: readonly RegExp[] = [
  /^https?:\/\/localhost(:\d+)?(?!\/(tunnel|t\/[\w-]+|collector)([/?#]|$))(\/|$)/,
  /^\/(?!\/)(?!(tunnel|t\/[\w-]+|collector)([/?#]|$))/,
]

/** Segment names of missing pages, with or without a method. */
export const NOT_FOUND_NAME = /^(?:[A-Z]+ )?\/(?:404|_not-found)$/

export const CLIENT_FALLBACK = 'Application error: a client-side exception has occurred'
export const SERVER_FALLBACK = 'Application error: a server-side exception has occurred'

/** Attribute of a page load: how many ms after its start tracing began, when a page loads its SDK late. */
export const TRACED_FROM_ATTRIBUTE = 'waystation.traced_from_ms'

/** Tag of events, and attribute of spans, logs and metrics, that the lab caused. */
export const LAB_TAG = 'waystation.lab'
