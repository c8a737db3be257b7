import { readFile } from 'node:fs/promises'
import { type Context, Hono, type MiddlewareHandler, type Next } from 'hono'
import { html } from 'hono/html'
import * as z from 'zod'
import type { Environment } from '../../lib/config/environment'
import { localPath } from '../../lib/guard/local-path'
import { sessionOf } from '../../lib/guard/token'
import { BOARD_MODULES } from '../../lib/wire/board-modules'
import { BOARD_PAGES, documentTitle, movedTo, PAGE_ICON, pageAt } from '../../lib/wire/pages'
import { problem } from '../runtime/problem'
import { guardAccess, refuseForeignHost } from './guards'
import type { Sessions } from './sessions'

/** Scripts and styles only from this collector; React sets no inline styles of its own. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "worker-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The files of the boards' build. Only these are served, and no part of a request becomes a path. */
const manifestSchema = z.object({
  script: z.string(),
  styles: z.string(),
  /** The second style sheet, which pages of these boards load with the document. */
  moreStyles: z.string(),
  needMoreStyles: z.array(z.string()),
  files: z.array(z.string()),
  /** By the module of a board: the scripts that its page loads. */
  loads: z.record(z.string(), z.array(z.string())),
})
type Manifest = z.infer<typeof manifestSchema>
/** The build writes them next to the collector's bundle. */
const MANIFEST = new URL('./boards.json', import.meta.url)
const FOLDER = new URL('./boards/', import.meta.url)

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
  routes.get('/signals', guard, (c) => {
    const { pathname, search } = new URL(c.req.url)
    return c.redirect(movedTo(pathname, search) ?? '/', 308)
  })
  // Open to everyone, because they contain no recorded data.
  routes.get('/boards/:name', answerFile)
  return routes
}

async function answerFile(c: Context, next: Next): Promise<Response | undefined> {
  const { files } = await manifest()
  const name = files.find((file) => file === c.req.param('name'))
  if (name === undefined) {
    await next()
    return
  }
  c.header('Content-Type', `${name.endsWith('.css') ? 'text/css' : 'text/javascript'}; charset=utf-8`)
  c.header('Content-Security-Policy', PAGE_POLICY)
  // The name has a hash of the file.
  c.header('Cache-Control', 'public, max-age=31536000, immutable')
  return c.body((await readFile(new URL(name, FOLDER))) as Buffer<ArrayBuffer>)
}

/** True for a browser that opens an address, not for a program or a script. */
export const readsPages = (c: Context): boolean =>
  c.req.method === 'GET' && (c.req.header('accept') ?? '').includes('text/html')

/** The document of an address without a page; its script says so and links to the others. */
export const answerMissingPage = (c: Context): Promise<Response> => answerPage(c)

/**
 * The scripts of a page load at once, instead of each after the one that imports it. The style sheet that the
 * page does not need has its address in `data-href`, for the first change of the board.
 */
async function answerPage(c: Context): Promise<Response> {
  const page = pageAt(c.req.path)
  const { script, loads, moreStyles, needMoreStyles } = await manifest()
  const module = page === null ? '' : `dashboards/${BOARD_MODULES[page.path]}.tsx`
  const loaded = loads[module] ?? []
  return answerHtml(c, page === null ? 404 : 200, documentTitle(page), {
    head: html`<link rel="stylesheet" ${needMoreStyles.includes(module) ? 'href' : 'data-href'}="/boards/${moreStyles}">
<script type="module" src="/boards/${script}"></script>
${loaded.filter((name) => name !== script).map((name) => html`<link rel="modulepreload" href="/boards/${name}">`)}`,
    body: html`<div id="boards"><noscript>The boards need JavaScript. Without it, the commands of waystation show the same telemetry.</noscript></div>`,
  })
}

/** A plain form that works without scripts. */
async function answerLogin(c: Context, { token }: Environment, sessions: Pick<Sessions, 'has'>): Promise<Response> {
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
  const leave = (await sessions.has(sessionOf(c.req.raw.headers)))
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
  const { styles } = await manifest()
  c.header('Content-Security-Policy', PAGE_POLICY)
  return c.html(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${PAGE_ICON}">
<link rel="stylesheet" href="/boards/${styles}">
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

let read: Promise<Manifest> | null = null

/** Reads the manifest once: the files of a running collector do not change. */
function manifest(): Promise<Manifest> {
  read ??= readFile(MANIFEST, 'utf8').then((text) => manifestSchema.parse(JSON.parse(text)))
  return read
}
