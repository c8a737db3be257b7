import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { html } from 'hono/html'
import type { Environment } from '../../lib/config/environment'
import { localPath } from '../../lib/guard/local-path'
import { sessionOf } from '../../lib/guard/token'
import { BOARD_PAGES, PAGE_ICON, pageAt, titleOf } from '../../lib/wire/pages'
import { problem } from '../runtime/problem'
import { guardAccess, refuseForeignHost } from './guards'
import type { Sessions } from './sessions'

/** Scripts and styles only from this collector; React sets no inline styles of its own. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The build writes them next to the collector's bundle. */
const ASSETS = {
  '/boards.js': 'text/javascript; charset=utf-8',
  '/boards.css': 'text/css; charset=utf-8',
} as const
type Asset = keyof typeof ASSETS
const ASSET_PATHS: readonly Asset[] = ['/boards.js', '/boards.css']

/**
 * The pages of the boards without Next, and the login page. Every board is the same document: its script renders the board of
 * the address.
 */
export function boardRoutes(environment: Environment, sessions: Pick<Sessions, 'has'>): Hono {
  const routes = new Hono()
  const guard = guardPages(environment, sessions)
  routes.get('/login', (c) => {
    const refusal = refuseForeignHost(c, environment)
    return refusal === null ? answerLogin(c, environment, sessions) : problem(c, refusal)
  })
  for (const { path } of BOARD_PAGES) routes.get(path, guard, answerPage)
  // Open to everyone, because they contain no recorded data.
  for (const path of ASSET_PATHS) {
    routes.get(path, async (c) => {
      c.header('Content-Type', ASSETS[path])
      c.header('Content-Security-Policy', PAGE_POLICY)
      c.header('Cache-Control', c.req.query('v') === (await versionOf(path)) ? IMMUTABLE : 'no-cache')
      return c.body(await readAsset(path))
    })
  }
  return routes
}

const IMMUTABLE = 'public, max-age=31536000, immutable'

/** True for a browser that opens an address, not for a program or a script. */
export const readsPages = (c: Context): boolean =>
  c.req.method === 'GET' && (c.req.header('accept') ?? '').includes('text/html')

/** The document of an address without a page; its script says so and links to the others. */
export const answerMissingPage = (c: Context): Promise<Response> => answerDocument(c, 'Not found', 404)

function answerPage(c: Context): Promise<Response> {
  const page = pageAt(c.req.path)
  if (page === null) return answerMissingPage(c)
  const title = titleOf(page.path, page.parameter)
  return answerDocument(c, page.path === '/' ? title : `${title} · Waystation`, 200)
}

async function answerDocument(c: Context, title: string, status: 200 | 404): Promise<Response> {
  const script = await versionOf('/boards.js')
  return answerHtml(c, status, title, {
    head: html`<script type="module" src="/boards.js?v=${script}"></script>`,
    body: html`<div id="boards"><noscript>The boards need JavaScript. Without it, the commands of waystation show the same telemetry.</noscript></div>`,
  })
}

/** A plain form that works without scripts. */
function answerLogin(c: Context, { token }: Environment, sessions: Pick<Sessions, 'has'>): Promise<Response> {
  const notes = [
    ...(c.req.query('wrong') === undefined ? [] : [html`<p class="banner bad" role="alert">The token is wrong.</p>`]),
    ...(c.req.query('left') === undefined ? [] : [html`<p class="banner" role="status">You are signed out.</p>`]),
  ]
  const form =
    token === undefined
      ? html`<p>No token is configured: everyone on this machine can open the boards. To require a token, start Waystation with <code>WAYSTATION_TOKEN</code>.</p>
<p><a class="button" href="/">Home</a></p>`
      : html`<p class="soft">Authentication required: enter the token that Waystation was started with (<code>WAYSTATION_TOKEN</code>).</p>
${notes}
<form class="row" method="post" action="/login/enter">
<input type="hidden" name="next" value="${localPath(c.req.query('next'))}">
<label for="token">Token</label>
<input id="token" class="field" type="password" name="token" autocomplete="current-password" required autofocus>
<button class="button primary" type="submit">Sign in</button>
</form>`
  const leave = sessions.has(sessionOf(c.req.raw.headers))
    ? html`<form class="row" method="post" action="/login/leave">
<button class="button" type="submit">Sign out</button>
<button class="button" type="submit" name="everywhere" value="1">Sign out everywhere</button>
</form>`
    : ''
  const body = html`<main class="page stack"><h1>Sign in</h1>${form}${leave}</main>`
  return answerHtml(c, 200, 'Sign in · Waystation', { head: '', body })
}

type Markup = ReturnType<typeof html> | string

async function answerHtml(
  c: Context,
  status: 200 | 404,
  title: string,
  { head, body }: { readonly head: Markup; readonly body: Markup },
): Promise<Response> {
  const style = await versionOf('/boards.css')
  c.header('Content-Security-Policy', PAGE_POLICY)
  return c.html(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${PAGE_ICON}">
<link rel="stylesheet" href="/boards.css?v=${style}">
${head}
</head>
<body>
${body}
</body>
</html>
`,
    status,
  )
}

/** A page request without the token goes to the login page, which returns to it. */
function guardPages(environment: Environment, sessions: Pick<Sessions, 'has'>): MiddlewareHandler {
  const guard = guardAccess(environment, sessions, 'read')
  return async (c, next) => {
    const refusal = await guard(c, next)
    if (refusal?.status !== 401) return refusal
    const { pathname, search } = new URL(c.req.url)
    return c.redirect(`/login?next=${encodeURIComponent(`${pathname}${search}`)}`, 303)
  }
}

const readAsset = (path: Asset): Promise<Buffer<ArrayBuffer>> =>
  readFile(new URL(`.${path}`, import.meta.url)) as Promise<Buffer<ArrayBuffer>>

const versions = new Map<Asset, string>()

/** A hash of the file, so that browsers keep it until the next build. */
async function versionOf(path: Asset): Promise<string> {
  const known = versions.get(path)
  if (known !== undefined) return known
  const version = createHash('sha256')
    .update(await readAsset(path))
    .digest('hex')
    .slice(0, 16)
  versions.set(path, version)
  return version
}
