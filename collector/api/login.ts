import { type Context, Hono } from 'hono'
import type { Environment } from '../../lib/config/environment'
import { accessRequestOf, refuseAccess } from '../../lib/guard/access'
import { localPath } from '../../lib/guard/local-path'
import type { LoginThrottle } from '../../lib/guard/login-throttle'
import { holdsToken, sameToken, sessionCookie, sessionOf } from '../../lib/guard/token'
import { problem } from '../runtime/problem'
import { readWithin } from './control'
import { refuseForeignHost } from './guards'
import { SESSION_SECONDS, type Sessions } from './sessions'

const MAX_FORM_BYTES = 4 * 1024

export interface LoginDeps {
  readonly environment: Environment
  readonly sessions: Sessions
  readonly throttle: LoginThrottle
  readonly log: (line: string) => void
}

/**
 * `POST /login/enter` makes the right token a session, and leads back to the form after a wrong one. `POST /login/leave` ends the
 * session of the request, or with `everywhere=1` all of them.
 */
export function loginRoutes(deps: LoginDeps): Hono {
  const routes = new Hono()
  routes.post('/enter', async (c) => {
    const form = await readForm(c, deps)
    return form instanceof Response ? form : enter(c, form, deps)
  })
  routes.post('/leave', async (c) => {
    const form = await readForm(c, deps)
    return form instanceof Response ? form : leave(c, form, deps)
  })
  return routes
}

/** The fields of a form of our own pages, or of a program; or a refusal. */
async function readForm(c: Context, { environment }: LoginDeps): Promise<URLSearchParams | Response> {
  const { hosts, appOrigins } = environment
  // A foreign page must sign nobody in or out. The token is not required here, because the form contains it.
  const access = accessRequestOf(c.req.raw.headers, true)
  const refusal =
    refuseAccess(access, { tokenRequired: true, hosts, origins: appOrigins }, 'change') ??
    refuseForeignHost(c, environment)
  if (refusal !== null) return problem(c, refusal)
  const bytes = await readWithin(c.req.raw, MAX_FORM_BYTES)
  if (bytes === null) return problem(c, { status: 413, detail: `the form is larger than ${MAX_FORM_BYTES} bytes` })
  return new URLSearchParams(bytes.toString('utf8'))
}

async function enter(c: Context, form: URLSearchParams, deps: LoginDeps): Promise<Response> {
  const { throttle, environment, sessions, log } = deps
  const next = localPath(form.get('next'))
  if (environment.token === undefined) return c.redirect(next, 303)
  const waitMs = throttle.waitMs()
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000)
    c.header('Retry-After', String(seconds))
    return problem(c, { status: 429, detail: `too many failed logins: try again in ${seconds} s` })
  }
  if (!sameToken(form.get('token') ?? '', environment.token)) {
    log(`[login] refused a wrong token, ${throttle.failed()} in a row`)
    return c.redirect(`/login?wrong=1&next=${encodeURIComponent(next)}`, 303)
  }
  throttle.succeeded()
  setCookie(c, sessionCookie(await sessions.start(), SESSION_SECONDS))
  return c.redirect(next, 303)
}

async function leave(c: Context, form: URLSearchParams, { environment, sessions }: LoginDeps): Promise<Response> {
  const { headers } = c.req.raw
  const id = sessionOf(headers)
  if (form.get('everywhere') === '1' && ((await sessions.has(id)) || holdsToken(headers, environment.token)))
    await sessions.endAll()
  else if (id !== null) await sessions.end(id)
  setCookie(c, sessionCookie('', 0))
  return c.redirect('/login?left=1', 303)
}

/** Adds `Secure` only for https: a browser at a plain http address on the local network would drop the cookie. */
function setCookie(c: Context, cookie: string): void {
  const isSecure = c.req.header('origin')?.startsWith('https:') === true
  c.header('Set-Cookie', isSecure ? `${cookie}; Secure` : cookie)
}
