import { readFile } from 'node:fs/promises'
import type { HttpBindings } from '@hono/node-server'
import { type Context, type ErrorHandler, Hono, type MiddlewareHandler } from 'hono'
import { getPath } from 'hono/utils/url'
import { similarName } from '../lib/config/nearest'
import { missingRole } from '../lib/protocol/roles'
import type { Behind } from '../lib/wire/errors'
import type { Overview } from '../lib/wire/overview'
import { BOARD_PAGES } from '../lib/wire/pages'
import type { Store } from '../lib/wire/store'
import { WIRE_HEADER, WIRE_VERSION } from '../lib/wire/wire-version'
import { answerMissingPage, boardRoutes, readsPages } from './api/boards'
import { type ControlDeps, controlRoutes, type DeliveryOrders, deliveryOrderRoutes } from './api/control'
import { type StandInDeps, upstreamRoutes } from './api/control-upstream'
import { guardAccess, guardCopies, guardIntake, protectAnswers } from './api/guards'
import { streamRoutes } from './api/live-stream'
import { type LoginDeps, loginRoutes } from './api/login'
import { deliveryMetricsText, METRICS_TYPE, metricsText } from './api/metrics'
import { answerPlain } from './api/query/parameters'
import { answerAdmission, type QueryDeps, queryRoutes, readLosses } from './api/query/routes'
import { BUSY_RETRY_SECONDS, RequestGoneError, TooManyReadsError } from './api/read-turns'
import { type Health, healthRoutes } from './api/readiness'
import { serviceRoutes } from './api/services'
import { type VisitorDeps, visitorControlRoutes, visitorRoutes } from './api/visitors'
import { IndexDamagedError } from './index/index'
import { answerFailuresAsOtlp, OTLP_PATHS } from './intake/otlp'
import { type IntakeDeps, intakeRoutes, otlpRoutes } from './intake/receive'
import { tunnelReportRoutes } from './intake/tunnel-reports'
import { refuseUnknownExport, refuseUnserved, refuseWithoutIntake } from './intake/unserved'
import { NotJudgedError } from './judge/judge'
import { NotMappedError } from './maps/frame-mapper'
import { problem } from './runtime/problem'
import { codeOf, isDiskFull, isIoError, isLocked, isReadOnly, SpoolDamagedError } from './runtime/sqlite-errors'
import { StoppingError } from './runtime/thread-errors'
import { BodyDamagedError, EvictionTimeoutError } from './spool/spool'
import { StoreAwayError } from './spool-postgres/store-away'

/** The part of every collector, whatever its roles are. */
export interface BaseDeps extends IntakeDeps, DeliveryOrders {
  readonly version: string
  /** `waystation show`: nothing may be received or changed. */
  readonly isShown: boolean
  readonly sessions: Pick<LoginDeps['sessions'], 'has'>
  readonly health: Health
  readonly report: (error: Error) => void
}

export interface AppDeps
  extends BaseDeps,
    QueryDeps,
    ControlDeps,
    StandInDeps,
    LoginDeps,
    Pick<VisitorDeps, 'deleteVisitor'> {
  readonly sessions: LoginDeps['sessions']
  readonly isShown: boolean
  /** Shares the reader between requests. */
  readonly readTurns: MiddlewareHandler<{ Bindings: HttpBindings }>
  /** Lets a query wait for what was stored before it. */
  readonly afterMirror: MiddlewareHandler
}

/** Of a collector with the role `query`. */
export function createApp(deps: AppDeps): App {
  const { environment, sessions } = deps
  const app = createBase(deps)
  app.use('/query/*', deps.readTurns, deps.afterMirror)

  // The app's server has the token and knows the visitor by its cookie; a session is of a person who reads the boards.
  const visitorGuard = guardAccess(environment, { has: async () => false }, 'change')
  for (const path of ['/query/visitor/*', '/control/visitor']) app.use(path, visitorGuard)

  app.route('/query', streamRoutes(deps.hub, deps.record))
  app.route('/query', queryRoutes(deps))
  app.route('/query', visitorRoutes(deps))
  app.route('/control', controlRoutes(deps))
  app.route('/control', visitorControlRoutes(deps))
  app.route('/control', upstreamRoutes(deps))
  app.route('/control', serviceRoutes())
  app.route('/login', loginRoutes(deps))
  app.route('/', boardRoutes(environment, sessions))
  app.get('/metrics', guardAccess(environment, sessions, 'read'), deps.readTurns, async (c) => {
    const [losses, overview, storage] = await Promise.all([
      readLosses(deps, null),
      deps.overview(),
      deps.record.storage(),
    ])
    c.header('Content-Type', METRICS_TYPE)
    return c.body(metricsText(losses, overview, storage.status, environment.roles))
  })
  return app
}

/** Of a collector without the role `query`: it says how it is, and refuses what needs a mirror of the record. */
export function createAppWithoutQueries(
  deps: BaseDeps &
    Pick<QueryDeps, 'status'> & {
      readonly upstreams: () => Promise<Overview['upstreams']>
      readonly store: () => Promise<Store>
    },
): App {
  const { environment, sessions } = deps
  const { roles } = environment
  const app = createBase(deps)
  app.get('/query/status', (c) => answerPlain(c, deps.status))
  app.get('/query/admission', (c) => answerAdmission(c, environment))
  app.get('/metrics', guardAccess(environment, sessions, 'read'), async (c) => {
    c.header('Content-Type', METRICS_TYPE)
    const [upstreams, store] = await Promise.all([deps.upstreams(), deps.store()])
    return c.body(deliveryMetricsText(upstreams, store, roles))
  })
  const pages = BOARD_PAGES.map(({ path }) => path)
  for (const path of ['/query/*', '/control/*', '/login/*', '/boards/*', ...pages])
    app.all(path, (c) => problem(c, { status: 404, detail: missingRole('query', roles) }))
  return app
}

type App = Hono<{ Bindings: HttpBindings }>

function createBase(deps: BaseDeps): App {
  const { environment, sessions } = deps
  const { roles } = environment
  const app: App = new Hono<{ Bindings: HttpBindings }>({ getPath: pathWithoutEmptySegments })
  app.use(refuseMalformedHost)
  app.use(protectAnswers)
  const intakeGuard = guardIntake(environment, (reason) => deps.spool.countRefusal(reason, 0))
  for (const path of OTLP_PATHS) app.use(path, answerFailuresAsOtlp)
  for (const path of INTAKE_PATHS) app.use(path, intakeGuard)
  if (deps.isShown) app.on(['POST', 'PUT', 'PATCH', 'DELETE'], SHOWN_REFUSES, refuseChange)
  app.use('/stream/*', guardCopies(environment))
  for (const path of ['/query/*', '/control/*']) app.use(path, nameWireVersion)
  app.use('/query/*', guardAccess(environment, sessions, 'read'))
  app.on('GET', '/control/*', guardAccess(environment, sessions, 'read'))
  app.on(['POST', 'PUT', 'PATCH', 'DELETE'], '/control/*', guardAccess(environment, sessions, 'change'))

  if (roles.includes('intake')) {
    app.route('/', intakeRoutes(deps))
    app.route('/', tunnelReportRoutes(deps))
  } else for (const path of INTAKE_PATHS) app.all(path, (c) => refuseWithoutIntake(c, roles, deps.spool))
  if (!roles.includes('relay'))
    app.post('/control/probe', (c) => problem(c, { status: 404, detail: missingRole('relay', roles) }))
  app.route('/control', deliveryOrderRoutes(deps))
  // For the app's pages, which show no recorded data themselves.
  app.get('/control/access', (c) => c.body(null, 204))
  app.route('/health', healthRoutes(deps.version, roles, deps.health))
  app.get('/tunnel.mjs', answerTunnelFile)

  app.notFound(async (c) => {
    const path = c.req.path.slice(0, 80)
    const hint = otlpHint(path)
    const detail = `there is nothing at ${c.req.method} ${path}${hint ?? routeHint(app.routes, path)}`
    if (hint !== null && c.req.method === 'POST') return refuseUnknownExport(c, detail, deps)
    const refusal = (await refuseUnserved(c, deps.spool)) ?? problem(c, { status: 404, detail })
    return refusal.status === 404 && roles.includes('query') && readsPages(c) ? answerMissingPage(c) : refusal
  })
  app.onError(answerErrors(deps.report))
  return app
}

const INTAKE_PATHS = ['/api/*', '/tunnel/*', '/stream/*', '/v1/*']

const SHOWN_REFUSES = ['/api/*', '/tunnel', '/tunnel/*', '/stream/*', '/v1/*', '/control/*']

const refuseChange = (c: Context): Response =>
  problem(c, { status: 403, detail: 'waystation show opened a copy of a run: nothing can be received or changed' })

const nameWireVersion: MiddlewareHandler = (c, next) => {
  c.header(WIRE_HEADER, WIRE_VERSION)
  return next()
}

/** Without a valid Host, a request has no address that can be parsed. */
const refuseMalformedHost: MiddlewareHandler = async (c, next) =>
  URL.canParse(c.req.url) ? next() : problem(c, { status: 400, detail: 'the Host header is not a valid host' })

/** A DSN whose host ends in a slash makes `//api/1/envelope/`. Guards match the same path as routes. */
const pathWithoutEmptySegments = (request: Request): string => getPath(request).replace(/\/{2,}/g, '/')

/** Serves OTLP at its own paths and nothing else: the port that OpenTelemetry programs send to by default. */
export function createOtlpApp(
  deps: IntakeDeps & Pick<AppDeps, 'report'>,
  collectorUrl: () => string,
): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use('/v1/*', answerFailuresAsOtlp)
  app.use(
    '/v1/*',
    guardIntake(deps.environment, (reason) => deps.spool.countRefusal(reason, 0)),
  )
  app.route('/', otlpRoutes(deps, 'plain'))
  app.notFound((c) => {
    const detail = `this port serves only POST /v1/traces, /v1/logs and /v1/metrics; everything else is at ${collectorUrl()}`
    return c.req.method === 'POST' ? refuseUnknownExport(c, detail, deps) : problem(c, { status: 404, detail })
  })
  app.onError(answerErrors(deps.report))
  return app
}

/** Answers errors that a handler throws, and logs the unexpected ones. */
export function answerErrors(log: (error: Error) => void): ErrorHandler {
  const loggedCodes = new Set<string>()
  return (error, c) => {
    // The client disconnected: it reads no answer, and the collector made no error.
    if (c.req.raw.signal.aborted || error.message === 'aborted' || error instanceof RequestGoneError)
      return c.body(null, 400)
    const refusal = refusalOf(error)
    // The answer and /health/ready report a full disk and a lock. Other storage errors repeat too, so each code is logged once.
    const code = isIoError(error) || isReadOnly(error) ? codeOf(error) : null
    if (refusal.status === 500 || (code !== null && !loggedCodes.has(code))) log(error)
    if (code !== null) loggedCodes.add(code)
    if (error instanceof TooManyReadsError || error.name === StoreAwayError.NAME)
      c.header('Retry-After', String(BUSY_RETRY_SECONDS))
    return problem(c, { ...refusal, causes: [error.message] })
  }
}

function refusalOf(error: Error): {
  readonly status: 500 | 503
  readonly detail: string
  readonly behind?: Behind
} {
  if ([IndexDamagedError.NAME, NotJudgedError.NAME, NotMappedError.NAME].includes(error.name))
    return { status: 503, detail: error.message }
  if (isLocked(error))
    return {
      status: 503,
      detail: 'another program holds a lock on spool.db, so nothing could be written; nothing is stored',
    }
  if (isDiskFull(error) || isReadOnly(error) || error instanceof EvictionTimeoutError)
    return { status: 503, detail: 'the envelope could not be written to disk; nothing is stored' }
  if (error.name === StoreAwayError.NAME)
    return { status: 503, detail: `${error.message}; nothing is stored`, behind: { missing: null } }
  if (error instanceof StoppingError) return { status: 503, detail: 'the collector is stopping; nothing is stored' }
  if (error instanceof TooManyReadsError)
    return { status: 503, detail: 'too many requests to this address wait for an answer; try again shortly' }
  if (error.name === BodyDamagedError.NAME || error.name === SpoolDamagedError.NAME)
    return { status: 503, detail: error.message }
  return { status: 500, detail: 'the collector has a bug here; nothing is stored' }
}

/** The tunnel as one file without dependencies, for other apps. Open to everyone, because it contains no recorded data. */
async function answerTunnelFile(c: Context): Promise<Response> {
  // The build writes it next to the collector's bundle.
  const code = await readFile(new URL('./tunnel.mjs', import.meta.url), 'utf8')
  c.header('Content-Type', 'text/javascript; charset=utf-8')
  c.header('X-Content-Type-Options', 'nosniff')
  return c.body(code)
}

/** Exporters append `/v1/traces` to a base address, which people often complete themselves. */
const otlpHint = (path: string): string | null =>
  /\bv1\/(?:trace|log|metric)/.test(path)
    ? ': OTLP is served at POST /v1/traces, /v1/logs and /v1/metrics; OTEL_EXPORTER_OTLP_ENDPOINT is the address without a path'
    : null

/** People type these routes. SDKs call the others, and mistype nothing. */
const TYPED_ROUTE = /^\/(query|control|health)\/[^:*]+$/

/** A suggestion for an unknown address, to append to the error; empty when no route is similar. */
function routeHint(routes: readonly { readonly method: string; readonly path: string }[], path: string): string {
  const typed = routes.filter((route) => TYPED_ROUTE.test(route.path))
  const methods = new Set(typed.filter((route) => route.path === path).map(({ method }) => method))
  if (methods.size > 0) return `: use ${[...methods].join(' or ')}`
  const near = similarName(
    path,
    typed.map((route) => route.path),
  )
  return near === null ? '' : `: did you mean ${near}?`
}
