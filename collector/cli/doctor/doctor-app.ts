import { randomBytes } from 'node:crypto'
import { parseDsn } from '../../../lib/protocol/dsn'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { runWithTimeout, timeoutMessage } from '../../../lib/time'
import { isAnswered } from '../../launch/ports'
import { normaliseAddress } from '../collector-connection'
import { broken, type CheckResult, ok, shownDsn, skipped } from './doctor-checks'

const TIMEOUT_MS = 10_000
/** Of a page and its scripts together. */
const MOST_BYTES = 20 * 1024 * 1024
const MOST_SCRIPTS = 60
const DSN =
  /https?:\/\/[A-Za-z0-9_-]{1,64}(?::[A-Za-z0-9_-]{1,64})?@[A-Za-z0-9.:[\]-]{1,255}(?:\/[\w.-]{1,64}){0,4}\/\d{1,20}/g
const TUNNEL_OPTION = /\btunnel:\s*["'`]([^"'`]{1,200})["'`]/

export interface AppProbe {
  readonly fetch: typeof globalThis.fetch
  readonly connects: (url: string) => Promise<boolean>
  /** `null` without --app. */
  readonly appUrl: string | null
  readonly tunnel: string
  /** Without --tunnel, a missing tunnel is no error: an app without pages needs none. */
  readonly requiresTunnel: boolean
  readonly stop: AbortSignal
}

/** Posts an empty body: our tunnel refuses it itself, and counts nothing. */
export async function checkTunnel(probe: AppProbe): Promise<CheckResult> {
  const { fetch, appUrl, tunnel, requiresTunnel, stop } = probe
  if (appUrl === null)
    return skipped('--app is not set.', 'Pass the address of your app, such as --app http://localhost:3000')
  const base = normaliseAddress(appUrl)
  if (base === null) return broken(`${appUrl} is not an address.`, 'Pass an address such as http://localhost:3000')
  const url = new URL(tunnel, base).href
  const missing = (found: string, fix: string): CheckResult =>
    requiresTunnel ? broken(found, fix) : skipped(`${found} Only pages need a tunnel.`, fix)
  try {
    const answer = await runWithTimeout(TIMEOUT_MS, stop, (signal) =>
      fetch(url, { method: 'POST', redirect: 'manual', headers: unsampled(), signal }),
    )
    const reason = answer.headers.get('x-sentry-error') ?? ''
    if (answer.status === 400 && /^empty body\b/.test(reason)) return ok(`${url} is a tunnel.`)
    if (answer.status === 404)
      return missing(
        `${url} answers 404.`,
        'Mount the tunnel there (docs/own-apps.md), set its path with --tunnel, or give the SDK the local DSN.',
      )
    if (answer.status >= 300 && answer.status < 400)
      return missing(
        `${url} redirects to ${answer.headers.get('location') ?? 'another page'}: a middleware handles it like a page.`,
        'Exclude its path from the matcher of your middleware.',
      )
    if (answer.status === 403 && reason !== '')
      return broken(`${url} refuses requests: ${reason}.`, 'Allow requests of your own pages and programs.')
    return missing(
      `${url} answers ${answer.status}${reason === '' ? '' : ` (${reason})`}, so it is not a tunnel of Waystation.`,
      'See docs/own-apps.md.',
    )
  } catch (cause) {
    return unanswered(url, cause, probe)
  }
}

/** The SDK in the page of an app, as far as the page and its scripts show it. */
export interface PageSdk {
  readonly base: string
  /** The status of the page. */
  readonly status: number
  readonly dsn: string | null
  /** Its option `tunnel`. */
  readonly tunnel: string | null
}

/** Reads the page of the app and its scripts. @returns the result of the check where there is no answer */
export async function readPageSdk(probe: AppProbe): Promise<Result<PageSdk, CheckResult>> {
  const { appUrl, stop } = probe
  const base = appUrl === null ? null : normaliseAddress(appUrl)
  if (base === null) return fail(skipped('--app is not set.'))
  try {
    const { status, text } = await runWithTimeout(TIMEOUT_MS, stop, (signal) => readPage(base, probe, signal))
    const dsns = (text.match(DSN) ?? []).filter((dsn) => !/PUBLIC_?KEY|example/i.test(dsn))
    return succeed({ base, status, dsn: dsns[0] ?? null, tunnel: TUNNEL_OPTION.exec(text)?.[1] ?? null })
  } catch (cause) {
    return fail(await unanswered(base, cause, probe))
  }
}

/** Checks where the SDK in the page of the app sends. */
export function checkPage(
  { base, status, dsn, tunnel }: PageSdk,
  probe: Pick<AppProbe, 'tunnel'>,
  { hasTunnel }: { readonly hasTunnel: boolean },
): CheckResult {
  if (status >= 500)
    return broken(
      `${base} answers ${status}.`,
      'Read the output of the app: the page of a failing app does not show its SDK.',
    )
  if (dsn === null && status >= 400)
    return skipped(
      `${base} answers ${status} and contains no DSN.`,
      'Does the app require a login? Then its pages cannot be checked.',
    )
  if (dsn === null)
    return skipped(
      'The page and its scripts contain no DSN.',
      'Does the page start an SDK, and was it built with its DSN? A DSN that is made at run time cannot be found.',
    )
  const sends = `The SDK has ${shownDsn(dsn)} and sends to the tunnel ${tunnel}`
  if (tunnel === probe.tunnel && !hasTunnel)
    return broken(`${sends}, which is not a tunnel of Waystation.`, 'See the check Tunnel.')
  if (tunnel !== null)
    return ok(`${sends}.`, tunnel === probe.tunnel ? null : `Check that tunnel with --tunnel ${tunnel}`)
  if (isLocal(dsn)) return ok(`The SDK has ${shownDsn(dsn)}, on this machine.`)
  return hasTunnel
    ? ok(
        `The SDK has ${shownDsn(dsn)}; its option tunnel cannot be found.`,
        `If nothing arrives, set tunnel: '${probe.tunnel}'`,
      )
    : broken(
        `The SDK has ${shownDsn(dsn)} and no tunnel, so it does not send to the collector.`,
        `Set its option tunnel: '${probe.tunnel}', or build it with the local DSN.`,
      )
}

/**
 * Posts an envelope without items, as the SDK of the page would, and judges only the answer. It is recorded like every
 * envelope.
 */
export async function checkProbe(
  sdk: PageSdk | null,
  probe: AppProbe,
  { hasTunnel }: { readonly hasTunnel: boolean },
): Promise<CheckResult> {
  if (sdk === null || sdk.dsn === null) return skipped('No page with a DSN is known.')
  const url = probeUrl(sdk, sdk.dsn, probe.tunnel, hasTunnel)
  if (url === null) return skipped('The page does not send to the collector.')
  try {
    const body = `${JSON.stringify({ dsn: sdk.dsn })}\n`
    const headers = { origin: new URL(sdk.base).origin, 'content-type': 'text/plain;charset=UTF-8', ...unsampled() }
    const answer = await runWithTimeout(TIMEOUT_MS, probe.stop, (signal) =>
      probe.fetch(url, { method: 'POST', body, redirect: 'manual', headers, signal }),
    )
    if (answer.ok) return ok(`${new URL(url).origin}${new URL(url).pathname} accepts an envelope of the page.`)
    const reason = answer.headers.get('x-sentry-error')
    return broken(
      `An envelope of the page is refused with ${answer.status}${reason === null ? '' : `: ${reason}`}.`,
      'The page needs the key and project of the tunnel: give both the same local DSN.',
    )
  } catch (cause) {
    return unanswered(url, cause, probe)
  }
}

/** The address to which the page posts; `null` when that is neither a tunnel of ours nor on this machine. */
function probeUrl(sdk: PageSdk, dsn: string, path: string, hasTunnel: boolean): string | null {
  if (sdk.tunnel === path || (sdk.tunnel === null && !isLocal(dsn)))
    return hasTunnel ? new URL(path, sdk.base).href : null
  if (sdk.tunnel !== null || !isLocal(dsn)) return null
  const parsed = parseDsn(dsn)
  if (!parsed.ok) return null
  const { protocol, host, path: prefix, projectId, publicKey } = parsed.value
  return `${protocol}://${host}${prefix}/api/${projectId}/envelope/?sentry_key=${publicKey}&sentry_version=7`
}

/** An app that accepts connections may be busy: `next dev` compiles a page at its first request. */
async function unanswered(url: string, cause: unknown, { connects, stop }: AppProbe): Promise<CheckResult> {
  if (stop.aborted) return skipped('The check was stopped.')
  const timeout = timeoutMessage(cause)
  return timeout !== null && (await connects(url))
    ? broken(
        `${url} accepts connections but does not answer: ${timeout}.`,
        'The app may be compiling the page, as next dev does at the first request, or busy. Run doctor again.',
      )
    : broken(`${url} does not answer: ${timeout ?? causeOf(cause)}.`, 'Start the app, or set its address with --app.')
}

export function acceptsConnections(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url)
  const defaultPort = protocol === 'https:' ? 443 : 80
  return isAnswered(port === '' ? defaultPort : Number(port), hostname.replace(/^\[|\]$/g, ''))
}

const isLocal = (dsn: string): boolean => /@(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?\//i.test(dsn)

/** Headers of an unsampled trace, so that the SDK of the app records nothing. */
const unsampled = () => ({ 'sentry-trace': `${randomId(16)}-${randomId(8)}-0` })
const randomId = (bytes: number): string => randomBytes(bytes).toString('hex')

/** Reads a page, its scripts, and the modules that they import. */
async function readPage(
  base: string,
  { fetch }: AppProbe,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(base, { signal, headers: { accept: 'text/html', ...unsampled() } })
  const page = (await answer.text()).slice(0, MOST_BYTES)
  const texts = [page]
  let left = MOST_BYTES - page.length
  // A set: modules import each other, and the loop also reads what is added while it runs.
  const scripts = new Set(sourcesIn(page, [SCRIPT_SOURCE, PRELOADED_MODULE], answer.url))
  for (const url of scripts) {
    if (texts.length > MOST_SCRIPTS || left <= 0) break
    const answered = await fetch(url, { signal, headers: unsampled() })
    const script = answered.ok ? (await answered.text()).slice(0, left) : ''
    left -= script.length
    texts.push(script)
    for (const source of sourcesIn(script, [IMPORT], url)) scripts.add(source)
  }
  return { status: answer.status, text: texts.join('\n') }
}

const SCRIPT_SOURCE = /<script[^>]{0,2000}?\ssrc="([^"]{1,2000})"/g
const PRELOADED_MODULE = /<link[^>]{0,2000}?\srel="modulepreload"[^>]{0,2000}?\shref="([^"]{1,2000})"/g
const IMPORT = /\b(?:from|import)\s?["']((?:\.{0,2}\/)[^"'\s]{1,2000})["']/g

/** The addresses that these patterns find, if they are of the same origin. @param address of the text */
const sourcesIn = (text: string, patterns: readonly RegExp[], address: string): readonly string[] =>
  patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .flatMap(([, source = '']) => (URL.canParse(source, address) ? [new URL(source, address)] : []))
    .filter(({ origin }) => origin === new URL(address).origin)
    .map(({ href }) => href)

function causeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? cause.cause.message : cause.message
}
