import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Environment } from '../lib/config/environment'
import { admissionRoutes } from './http/admission'
import { type ContractVerbs, contractRoutes } from './http/contract'
import { type Control, controlRoutes } from './http/control'
import { type ControlUpstream, upstreamRoutes } from './http/control-upstream'
import { type IntakeDeps, intakeRoutes } from './http/envelope'
import { guardIntake, guardLook } from './http/guards'
import { healthRoutes, type Readiness } from './http/health'
import type { LiveHub } from './http/hub'
import { type DeadLetterVerbs, deadLetterRoutes, ledgerRoutes } from './http/ledgers'
import { type Query, queryRoutes } from './http/query'
import { type RedigestVerbs, redigestRoutes } from './http/redigest'
import { problem } from './http/refusal'
import { clearRoutes, type RoomVerbs, storageRoutes } from './http/room'
import { routeHint } from './http/route-hint'
import { streamRoutes } from './http/stream'
import { tunnelFileRoutes } from './http/tunnel-file'
import { IndexDamagedError } from './index/index-damage'
import { NotJudgedError } from './index/judge'
import { isLocked } from './runtime/sqlite-errors'
import { StoppingError } from './runtime/thread-errors'
import { BodyDamagedError } from './spool/submission'

export interface AppParts
  extends IntakeDeps,
    Query,
    Control,
    ControlUpstream,
    RoomVerbs,
    RedigestVerbs,
    DeadLetterVerbs,
    ContractVerbs {
  readonly environment: Environment
  readonly hub: LiveHub
  readonly version: string
  readonly readiness: () => Promise<Readiness>
  readonly report: (error: Error) => void
}

/** All routes behind their guards. Opens nothing: what it needs is made by `main` and passed in. */
export function createApp(parts: AppParts): Hono<{ Bindings: HttpBindings }> {
  const { environment } = parts
  const app = new Hono<{ Bindings: HttpBindings }>()
  const intakeGuard = guardIntake(environment, () => parts.spool.countRefusal('origin', 0))
  for (const path of ['/api/*', '/tunnel/*', '/stream/*']) app.use(path, intakeGuard)
  app.use('/query/*', guardLook(environment, 'read'))
  app.on('GET', '/control/*', guardLook(environment, 'read'))
  app.on(['POST', 'PUT', 'PATCH', 'DELETE'], '/control/*', guardLook(environment, 'change'))

  app.route('/', intakeRoutes(parts))
  app.route('/query', streamRoutes(parts.hub, parts.reader))
  app.route('/query', queryRoutes(parts))
  app.route('/query', storageRoutes(parts))
  app.route('/query', ledgerRoutes(parts))
  app.route('/query', contractRoutes(parts))
  app.route('/query', admissionRoutes(parts))
  app.route('/control', controlRoutes(parts))
  app.route('/control', upstreamRoutes(parts))
  app.route('/control', clearRoutes(parts))
  app.route('/control', deadLetterRoutes(parts))
  app.route('/control', redigestRoutes(parts))
  app.route('/', tunnelFileRoutes())
  app.route('/health', healthRoutes(parts.version, parts.readiness))
  // Whoever opens the collector's address in a browser wants to look.
  app.get('/', (c) => c.redirect(environment.appOrigins[0] ?? 'http://localhost:3000', 302))

  app.notFound((c) => {
    const path = c.req.path.slice(0, 80)
    const detail = `there is nothing at ${c.req.method} ${path}${routeHint(app.routes, path)}`
    return problem(c, { status: 404, detail })
  })
  app.onError((error, c) => {
    // Whoever sent this has gone: nobody reads an answer, and nothing here is at fault.
    if (c.req.raw.signal.aborted || error.message === 'aborted') return c.body(null, 400)
    const refusal = refusalOf(error)
    // What a disk or a lock does is told by the answer and by /health/ready, and may happen a thousand times.
    if (refusal.status === 500) parts.report(error)
    return problem(c, { ...refusal, causes: [error.message] })
  })
  return app
}

/** A disk or a lock is told as what it is; everything else that is thrown is a bug. */
function refusalOf(error: Error): { readonly status: 500 | 503; readonly detail: string } {
  // Said by a read: its words may speak of a disk too.
  if (error.name === IndexDamagedError.NAME || error.name === NotJudgedError.NAME)
    return { status: 503, detail: error.message }
  if (isLocked(error))
    return {
      status: 503,
      detail: 'another program holds the record locked, so it could not be written; nothing is stored',
    }
  if (/disk|SQLITE_FULL|SQLITE_IOERR|readonly/i.test(error.message))
    return { status: 503, detail: 'the envelope could not be written to disk; nothing is stored' }
  if (error instanceof StoppingError) return { status: 503, detail: 'the collector is stopping; nothing is stored' }
  if (error.name === BodyDamagedError.NAME) return { status: 503, detail: error.message }
  return { status: 500, detail: 'the collector has a bug here; nothing is stored' }
}
