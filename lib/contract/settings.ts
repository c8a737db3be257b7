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
 * The evidence for a setting. `telemetry`: recorded telemetry. `transport`: requests that the collector received, and their times.
 * `probe`: the browser's own requests. `stated`: shown next to the observed value, never a failure.
 */
export type JudgedFrom = 'telemetry' | 'transport' | 'probe' | 'stated'

interface Setting {
  readonly id: string
  readonly title: string
  /** Text with its unit. */
  readonly value: string
  readonly setBy: string
  readonly judgedFrom: readonly JudgedFrom[]
  /** The requirement, in one sentence. */
  readonly holds: string
}

const seconds = (ms: number): string => `${ms / 1000} s`

/** Every setting of the runtime contract, in the specification's order. */
export const CONTRACT: readonly Setting[] = [
  {
    id: 'event-buffer',
    title: 'Error-reporting event buffer',
    value: `${EVENT_BUFFER_ITEMS} items`,
    setBy:
      "the SDK option transportOptions.bufferSize in the browser, the transport of lib/sdk on the server; the relay's limit of open posts",
    judgedFrom: ['transport', 'probe'],
    holds: 'A client never has more requests open at once; it reports overflow as queue_overflow.',
  },
  {
    id: 'breadcrumbs',
    title: 'Breadcrumb list',
    value: `${BREADCRUMBS} entries`,
    setBy: 'the SDK option maxBreadcrumbs',
    judgedFrom: ['telemetry'],
    holds: 'An event has at most this many breadcrumbs: the newest ones, in time order.',
  },
  {
    id: 'span-recorder',
    title: 'Span recorder',
    value: `${RECORDED_SPANS} spans`,
    setBy: 'a constant of the SDK, in both lifecycles; for OpenTelemetry the span recorder of lib/sdk',
    judgedFrom: ['telemetry'],
    holds:
      'A transaction has at most this many child spans, a container this many spans; client reports count the rest.',
  },
  {
    id: 'rate-limit-back-off',
    title: 'Default rate-limit back-off',
    value: seconds(RATE_LIMIT_BACK_OFF_MS),
    setBy: 'the SDK and the relay',
    judgedFrom: ['transport'],
    holds: 'After a page received a rate limit, it sends nothing of that category until the limit ends.',
  },
  {
    id: 'idle-timeout',
    title: 'Idle transaction time-out',
    value: seconds(IDLE_TIMEOUT_MS),
    setBy: 'idleTimeout of browserTracingIntegration',
    judgedFrom: ['telemetry'],
    holds: 'A pageload or navigation ends with its last child span; late web vitals are exempt.',
  },
  {
    id: 'final-timeout',
    title: 'Final time-out',
    value: seconds(FINAL_TIMEOUT_MS),
    setBy: 'finalTimeout of browserTracingIntegration',
    judgedFrom: ['telemetry'],
    holds: 'No pageload or navigation lasts longer than this.',
  },
  {
    id: 'heartbeat',
    title: 'Heartbeat interval',
    value: seconds(HEARTBEAT_MS),
    setBy: `childSpanTimeout of browserTracingIntegration (three beats: ${seconds(CHILD_SPAN_TIMEOUT_MS)}); the keep-alive of the live stream`,
    judgedFrom: ['telemetry'],
    holds: 'No child span stays open for longer than three beats.',
  },
  {
    id: 'environment',
    title: 'Default environment',
    value: DEFAULT_ENVIRONMENT,
    setBy: 'the SDK option environment, set in every init; SENTRY_ENVIRONMENT overrides it',
    judgedFrom: ['telemetry'],
    holds: 'Every event names an environment.',
  },
  {
    id: 'prefetch-queue',
    title: 'Prefetch queue concurrency',
    value: String(PREFETCH_QUEUE),
    setBy: "a constant of Next's router: 5 in Next 14.0.2; now 4, and 12 on hover",
    judgedFrom: ['stated'],
    holds: 'Shown next to the observed value.',
  },
  {
    id: 'prefetch-freshness',
    title: 'Prefetch freshness',
    value: `${PREFETCH_DYNAMIC_S} s and ${PREFETCH_STATIC_S / 60} min`,
    setBy: 'experimental.staleTimes in next.config.js',
    judgedFrom: ['probe', 'stated'],
    holds: 'A page visited again while it is fresh is not requested again.',
  },
  {
    id: 'route-load-timeout',
    title: 'Route load time-out',
    value: seconds(ROUTE_LOAD_TIMEOUT_MS),
    setBy: 'a constant of Next',
    judgedFrom: ['stated'],
    holds: 'Navigations that take longer are marked.',
  },
  {
    id: 'cache-duration',
    title: 'Cache duration',
    value: `one year (${CACHE_DURATION_S} s)`,
    setBy: 'a constant of Next',
    judgedFrom: ['probe'],
    holds: 'Immutable assets have this duration in Cache-Control.',
  },
  {
    id: 'names',
    title: 'Transaction names',
    value: 'the current path',
    setBy: 'routeManifestInjection: false; in the streamed lifecycle beforeStartSpan for a pageload',
    judgedFrom: ['telemetry'],
    holds: 'A pageload or navigation has its path or route as name; server segments keep method and route.',
  },
  {
    id: 'not-found',
    title: '404 pages',
    value: 'filtered out',
    setBy: 'not-found.tsx, which marks the segment, and the outgoing filter of lib/sdk in browser and server',
    judgedFrom: ['transport'],
    holds: 'No segment of a missing page arrives; a client report counts it. Error events are never dropped.',
  },
  {
    id: 'trace-headers',
    title: 'Trace headers',
    value: TRACE_HEADER_TARGETS.map(String).join('  '),
    setBy: 'the SDK option tracePropagationTargets',
    judgedFrom: ['telemetry', 'probe'],
    holds:
      'Requests to localhost and to relative paths carry trace headers; requests to other origins, the tunnel and the collector do not.',
  },
  {
    id: 'tunnel',
    title: 'Tunnel',
    value: TUNNEL_PATH,
    setBy: 'the SDK option tunnel; in this app WAYSTATION_TUNNEL_PATH, which may be /t/NAME',
    judgedFrom: ['probe'],
    holds: 'The browser sends nothing directly to an ingest host.',
  },
  {
    id: 'error-fallback',
    title: 'Error fallback',
    value: `${CLIENT_FALLBACK.replace('a client-side', 'a client-side or server-side')}, and the digest when there is one`,
    setBy: 'error.tsx and global-error.tsx',
    judgedFrom: ['probe'],
    holds: 'The page shows the generic text, and nothing of the error itself.',
  },
]
