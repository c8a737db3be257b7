import {
  BREADCRUMBS,
  CACHE_DURATION_S,
  CHILD_SPAN_TIMEOUT_MS,
  CLIENT_FALLBACK,
  DEFAULT_ENVIRONMENT,
  EVENT_BUFFER_ITEMS,
  FINAL_TIMEOUT_MS,
  HEARTBEAT_MS,
  IDLE_TIMEOUT_MS,
  PREFETCH_DYNAMIC_S,
  PREFETCH_QUEUE,
  PREFETCH_STATIC_S,
  RATE_LIMIT_BACK_OFF_MS,
  RECORDED_SPANS,
  ROUTE_LOAD_TIMEOUT_MS,
  TRACE_HEADER_TARGETS,
  TUNNEL_PATH,
} from './values'

/**
 * What a setting is judged from. `telemetry` what was recorded; `transport` what the collector received, and when;
 * `probe` the browser's own requests; `stated` shown beside what was seen, never a failure.
 */
export type JudgedFrom = 'telemetry' | 'transport' | 'probe' | 'stated'

export interface Setting {
  readonly id: string
  readonly title: string
  /** As a person reads it, unit included. */
  readonly value: string
  readonly setBy: string
  readonly judgedFrom: readonly JudgedFrom[]
  /** What must hold, in one sentence. */
  readonly holds: string
}

const seconds = (ms: number): string => `${ms / 1000} s`

/** Every setting of the runtime contract, in the specification's order. */
export const CONTRACT: readonly Setting[] = [
  {
    id: 'event-buffer',
    title: 'Error-reporting event buffer',
    value: `${EVENT_BUFFER_ITEMS} items`,
    setBy: "the SDK's transportOptions.bufferSize; the relay's window of open posts",
    judgedFrom: ['transport', 'probe'],
    holds: 'One client never has more sends open at once; what overflows is reported as queue_overflow.',
  },
  {
    id: 'breadcrumbs',
    title: 'Breadcrumb list',
    value: `${BREADCRUMBS} entries`,
    setBy: "the SDK's maxBreadcrumbs",
    judgedFrom: ['telemetry'],
    holds: 'An event has at most that many breadcrumbs, in time order, the newest kept.',
  },
  {
    id: 'span-recorder',
    title: 'Span recorder',
    value: `${RECORDED_SPANS} spans`,
    setBy: "the SDK's own constant, in both lifecycles",
    judgedFrom: ['telemetry'],
    holds: 'A transaction has at most that many child spans, a container that many spans; the rest is accounted for.',
  },
  {
    id: 'rate-limit-back-off',
    title: 'Default rate-limit back-off',
    value: seconds(RATE_LIMIT_BACK_OFF_MS),
    setBy: 'the SDK and the relay',
    judgedFrom: ['transport'],
    holds: 'After a page was told a limit, nothing of that category comes from that page until it ends.',
  },
  {
    id: 'idle-timeout',
    title: 'Idle transaction time-out',
    value: seconds(IDLE_TIMEOUT_MS),
    setBy: 'browserTracingIntegration, idleTimeout',
    judgedFrom: ['telemetry'],
    holds: 'A pageload or navigation ends with its last child, late web vitals aside.',
  },
  {
    id: 'final-timeout',
    title: 'Final time-out',
    value: seconds(FINAL_TIMEOUT_MS),
    setBy: 'browserTracingIntegration, finalTimeout',
    judgedFrom: ['telemetry'],
    holds: 'No pageload or navigation lasts longer.',
  },
  {
    id: 'heartbeat',
    title: 'Heartbeat interval',
    value: seconds(HEARTBEAT_MS),
    setBy: `browserTracingIntegration, childSpanTimeout (three beats, ${seconds(CHILD_SPAN_TIMEOUT_MS)}); the live stream's keep-alive`,
    judgedFrom: ['telemetry'],
    holds: 'No child span stays open past three beats.',
  },
  {
    id: 'environment',
    title: 'Default environment',
    value: DEFAULT_ENVIRONMENT,
    setBy: 'environment, explicit in every init; SENTRY_ENVIRONMENT overrides it',
    judgedFrom: ['telemetry'],
    holds: 'Every event names an environment.',
  },
  {
    id: 'prefetch-queue',
    title: 'Prefetch queue concurrency',
    value: String(PREFETCH_QUEUE),
    setBy: "Next's router, fixed: 5 in 14.0.2, 4 today and 12 on hover",
    judgedFrom: ['stated'],
    holds: 'Shown beside what was seen.',
  },
  {
    id: 'prefetch-freshness',
    title: 'Prefetch freshness',
    value: `${PREFETCH_DYNAMIC_S} s and ${PREFETCH_STATIC_S / 60} min`,
    setBy: 'experimental.staleTimes in next.config.js',
    judgedFrom: ['probe', 'stated'],
    holds: 'A page visited again within its freshness is not asked for again.',
  },
  {
    id: 'route-load-timeout',
    title: 'Route load time-out',
    value: seconds(ROUTE_LOAD_TIMEOUT_MS),
    setBy: "Next's own constant",
    judgedFrom: ['stated'],
    holds: 'Navigations that took longer are marked.',
  },
  {
    id: 'cache-duration',
    title: 'Cache duration',
    value: `one year (${CACHE_DURATION_S} s)`,
    setBy: "Next's own constant",
    judgedFrom: ['probe'],
    holds: 'Immutable assets carry it.',
  },
  {
    id: 'names',
    title: 'Transaction names',
    value: 'the current path',
    setBy: 'routeManifestInjection: false; streamed: beforeStartSpan of a pageload',
    judgedFrom: ['telemetry'],
    holds: 'A pageload or navigation is named by its path; server segments keep method and route.',
  },
  {
    id: 'not-found',
    title: '404 pages',
    value: 'filtered out',
    setBy: 'the mark in not-found.tsx, and the outgoing filter of lib/sdk in browser and server',
    judgedFrom: ['transport'],
    holds: 'No segment of a missing page arrives; the client report accounts for it. Error events are never dropped.',
  },
  {
    id: 'trace-headers',
    title: 'Trace headers',
    value: TRACE_HEADER_TARGETS.map(String).join('  '),
    setBy: "the SDK's tracePropagationTargets",
    judgedFrom: ['telemetry', 'probe'],
    holds:
      'Requests to localhost and to relative paths carry them, no other origin gets them; tunnel and collector are exempt.',
  },
  {
    id: 'tunnel',
    title: 'Tunnel',
    value: TUNNEL_PATH,
    setBy: "the SDK's tunnel option",
    judgedFrom: ['probe'],
    holds: 'Nothing goes straight to an ingest host.',
  },
  {
    id: 'error-fallback',
    title: 'Error fallback',
    value: `${CLIENT_FALLBACK.replace('a client-side', 'a client-side or server-side')}, and the digest when there is one`,
    setBy: 'error.tsx and global-error.tsx',
    judgedFrom: ['probe'],
    holds: 'The generic text is shown, and nothing of the error itself.',
  },
]
