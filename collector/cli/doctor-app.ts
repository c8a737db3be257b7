import { randomBytes } from 'node:crypto'
import { runWithTimeout, timeoutMessage } from '../../lib/time'
import { isAnswered } from '../launch/ports'
import { addressOf } from './asked-collector'
import { broken, type Look, notLookedAt, ok } from './doctor-link'
import { shownDsn } from './doctor-sender'

const TIMEOUT_MS = 10_000
/** Of a page, and of its scripts together. */
const MOST_BYTES = 20 * 1024 * 1024
const MOST_SCRIPTS = 60
const DSN =
  /https?:\/\/[A-Za-z0-9_-]{1,64}(?::[A-Za-z0-9_-]{1,64})?@[A-Za-z0-9.:[\]-]{1,255}(?:\/[\w.-]{1,64}){0,4}\/\d{1,20}/g
const TUNNEL_OPTION = /\btunnel:\s*["'`]([^"'`]{1,200})["'`]/

/** What asks an app for its page, without leaving it. */
export interface AppProbe {
  readonly fetch: typeof globalThis.fetch
  /** Does somebody take a connection at an address? */
  readonly connects: (url: string) => Promise<boolean>
  /** `null` where nobody named an app. */
  readonly appUrl: string | null
  /** Path of the tunnel. */
  readonly tunnel: string
  /** Else it is looked for where ours is, and an app without pages needs none. */
  readonly tunnelIsAskedFor: boolean
  readonly stop: AbortSignal
}

/**
 * Is the app's tunnel there? It is posted an envelope header without a DSN, which every tunnel of ours refuses itself, in
 * its own words: nothing reaches the collector, and nothing is counted.
 */
export async function lookAtTunnel(probe: AppProbe): Promise<Look> {
  const { fetch, appUrl, tunnel, tunnelIsAskedFor, stop } = probe
  if (appUrl === null)
    return notLookedAt('No app is named.', 'Name yours with --app, such as --app http://localhost:3000')
  const base = addressOf(appUrl)
  if (base === null) return broken(`--app ${appUrl} is no address.`, 'Meant is one such as http://localhost:3000')
  const url = `${base}${tunnel}`
  const missing = (seen: string, mend: string): Look =>
    tunnelIsAskedFor ? broken(seen, mend) : notLookedAt(`${seen} Only pages need a tunnel.`, mend)
  try {
    const answer = await runWithTimeout(TIMEOUT_MS, stop, (signal) =>
      fetch(url, { method: 'POST', body: '{}\n', redirect: 'manual', headers: unsampled(), signal }),
    )
    const words = answer.headers.get('x-sentry-error') ?? ''
    if (answer.status === 400 && /\bdsn\b/i.test(words)) return ok(`${url} answers in the words of the tunnel.`)
    if (answer.status === 404)
      return missing(
        `There is nothing at ${url}.`,
        'Mount the tunnel there (README, “Put your own app on the path”), name its path with --tunnel, or give the SDK the local DSN.',
      )
    if (answer.status >= 300 && answer.status < 400)
      return missing(
        `${url} leads to ${answer.headers.get('location') ?? 'elsewhere'}: a middleware takes it for a page.`,
        'Leave its path out of what your middleware matches.',
      )
    if (answer.status === 403 && words !== '')
      return broken(`${url} refuses it: ${words}.`, 'Let your own pages and programs send there.')
    return missing(
      `${url} answers ${answer.status}${words === '' ? '' : ` (${words})`}, as no tunnel of Waystation does.`,
      'Another tunnel is there, or none: see README, “Put your own app on the path”.',
    )
  } catch (cause) {
    return unanswered(url, cause, probe)
  }
}

/** What its page says about where its SDK sends. */
export async function lookAtPage(
  probe: AppProbe,
  { tunnelIsThere }: { readonly tunnelIsThere: boolean },
): Promise<Look> {
  const { appUrl, stop } = probe
  const base = appUrl === null ? null : addressOf(appUrl)
  if (base === null) return notLookedAt('No app is named.')
  try {
    const { status, text } = await runWithTimeout(TIMEOUT_MS, stop, (signal) => readPage(base, probe, signal))
    if (status >= 500)
      return broken(
        `${base} answers ${status}.`,
        'Look at what the app printed: a page that fails shows nothing of its SDK.',
      )
    const dsns = [...new Set(text.match(DSN) ?? [])].filter((dsn) => !/PUBLIC_?KEY|example/i.test(dsn))
    const option = TUNNEL_OPTION.exec(text)?.[1] ?? null
    const [dsn] = dsns
    if (dsn === undefined && status >= 400)
      return notLookedAt(
        `${base} answers ${status}, and no DSN stands there.`,
        'Does it want a login? What its pages have cannot be seen then.',
      )
    if (dsn === undefined)
      return notLookedAt(
        'No DSN stands in the page or its scripts.',
        'Does the page start an SDK, and was it built with its DSN? A DSN that is put together at run time cannot be seen here.',
      )
    const sends = `Its SDK has ${shownDsn(dsn)} and sends by ${option}`
    if (option === probe.tunnel && !tunnelIsThere)
      return broken(`${sends}, where no tunnel answers as ours does.`, 'The link below says what is there.')
    if (option !== null)
      return ok(`${sends}.`, option === probe.tunnel ? null : `Is a tunnel there? Look with --tunnel ${option}`)
    if (isLocal(dsn)) return ok(`Its SDK has ${shownDsn(dsn)}, on this machine.`)
    return tunnelIsThere
      ? ok(
          `Its SDK has ${shownDsn(dsn)}; whether its option tunnel is set cannot be seen.`,
          `If nothing arrives, set it: tunnel: '${probe.tunnel}'`,
        )
      : broken(
          `Its SDK has ${shownDsn(dsn)} and no tunnel: what it sends passes the collector by.`,
          `Set its option tunnel: '${probe.tunnel}', or build it with the local DSN.`,
        )
  } catch (cause) {
    return unanswered(base, cause, probe)
  }
}

/** An app that is away is another thing than one that is at it: `next dev` compiles a page when it is first asked for. */
async function unanswered(url: string, cause: unknown, { connects, stop }: AppProbe): Promise<Look> {
  if (stop.aborted) return notLookedAt('It was stopped.')
  const late = timeoutMessage(cause)
  return late !== null && (await connects(url))
    ? broken(
        `${url} takes the connection, and was not done: ${late}.`,
        'Is the app compiling this just now, as next dev does when it is first asked for, or busy? Ask again.',
      )
    : broken(`${url} does not answer: ${late ?? causeOf(cause)}.`, 'Start the app, or name its address with --app.')
}

/** Somebody takes a connection at this address of http or https. */
export function connectsTo(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url)
  const usual = protocol === 'https:' ? 443 : 80
  return isAnswered(port === '' ? usual : Number(port), hostname.replace(/^\[|\]$/g, ''))
}

const isLocal = (dsn: string): boolean => /@(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?\//i.test(dsn)

/** Tells the app's SDK that this is of a trace that is not sampled: to look is to leave nothing behind. */
const unsampled = () => ({ 'sentry-trace': `${randomId(16)}-${randomId(8)}-0` })
const randomId = (bytes: number): string => randomBytes(bytes).toString('hex')

/** The page and its own scripts; of a page of Waystation what it is told at run time stands in it. */
async function readPage(
  base: string,
  { fetch }: AppProbe,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(base, { signal, headers: { accept: 'text/html', ...unsampled() } })
  const page = (await answer.text()).slice(0, MOST_BYTES)
  const sources = [...page.matchAll(/<script[^>]{0,2000}?\ssrc="([^"]{1,2000})"/g)]
    .map(([, source = '']) => (URL.canParse(source, answer.url) ? new URL(source, answer.url) : null))
    .filter((url) => url !== null && url.origin === new URL(answer.url).origin)
  const texts = [page]
  let left = MOST_BYTES - page.length
  for (const url of sources.slice(0, MOST_SCRIPTS)) {
    if (url === null || left <= 0) break
    const answered = await fetch(url, { signal, headers: unsampled() })
    const script = answered.ok ? (await answered.text()).slice(0, left) : ''
    left -= script.length
    texts.push(script)
  }
  return { status: answer.status, text: texts.join('\n') }
}

function causeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? cause.cause.message : cause.message
}
