import { nearestAddress } from '../../lib/config/address-file'
import { type Environment, explainProblem, readEnvironment } from '../../lib/config/environment'
import { nameHint } from '../../lib/config/nearest'
import { plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { namesMissingRole } from '../../lib/protocol/roles'
import { timeoutMessage } from '../../lib/time'
import { githubRefusal } from '../../lib/verdict/reports/github'
import { type CollectorClient, CollectorError, collectorClient } from '../../lib/wire/collector-client'
import { loadEnvironmentFiles } from '../launch/environment-files'
import { type StopRequests, stoppedCode } from '../launch/stop-requests.js'
import { NO_COLLECTOR, USAGE_ERROR } from './exit-codes'

export interface CommandInput {
  /** The folder of Waystation; for an installed package, the project of the current folder. */
  readonly root: string
  /** Folder of the bundles. */
  readonly bundles: string
  /** The arguments of `waystation`, the name of the command first. */
  readonly words: readonly string[]
  readonly stop: StopRequests
  /** Installed in another project, without sources, app and pages. */
  readonly packaged: boolean
}

/** Longest wait for an answer: a busy collector answers late, a stopped one never. */
export const ANSWER_TIMEOUT_MS = 30_000

/** A running collector that a command queries. */
export interface CollectorConnection {
  readonly url: string
  readonly client: CollectorClient
  /** Address of the boards; null for none. */
  readonly appUrl: string | null
}

/** To the collector of `--url`, or the one that the environment names; or messages about wrong settings. */
export function connectCollector(
  given: string | null,
  { root, packaged }: Pick<CommandInput, 'root' | 'packaged'>,
): Result<CollectorConnection, readonly string[]> {
  loadEnvironmentFiles(root, false)
  const read = readEnvironment(process.env)
  if (!read.ok) return fail(read.error.map(explainProblem))
  const { collectorUrl, token } = read.value
  const url = given === null ? collectorUrl : normaliseAddress(given)
  if (url === null)
    return fail([`--url must be an http or https address, such as http://127.0.0.1:8969, got ${JSON.stringify(given)}`])
  return succeed({
    url,
    client: clientAt(url, token),
    appUrl: packaged ? (boardsUrl(process.env) ?? url) : appUrlOf(read.value),
  })
}

/**
 * To the collector of `--url`, of WAYSTATION_COLLECTOR_URL, or of the nearest `.waystation` folder; else to the default one.
 * @param from the folder of the shell
 */
export function connectNearest(
  given: string | null,
  from: string,
  { root, packaged }: Pick<CommandInput, 'root' | 'packaged'>,
): Result<CollectorConnection, readonly string[]> {
  loadEnvironmentFiles(root, false)
  const isNamed = given !== null || Boolean(process.env.WAYSTATION_COLLECTOR_URL)
  return connectCollector(isNamed ? given : nearestAddress(from), { root, packaged })
}

/** A client for the collector at an address, with its token. */
export const clientAt = (url: string, token: string | undefined): CollectorClient =>
  collectorClient(url, fetch, token ? { authorization: `Bearer ${token}` } : {})

export const appUrlOf = ({ appOrigins, appPort }: Environment): string => appOrigins[0] ?? `http://localhost:${appPort}`

/** The address of an app that serves boards; `null` where only collectors do. */
export const boardsUrl = ({ WAYSTATION_APP_URL: url }: NodeJS.ProcessEnv): string | null =>
  url && url !== 'off' ? url.replace(/\/+$/, '') : null

/** Returns an http or https address without a trailing slash; null for any other text. */
export function normaliseAddress(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Why a request to a collector failed: a message that says what to do, and the exit code. */
export interface RequestFailure {
  readonly code: typeof USAGE_ERROR | typeof NO_COLLECTOR
  readonly message: string
}

/** Run has its own collector, so that the default address is wrong for it. */
export const RUN_HINT = 'waystation run has its own collector; its first line on stderr contains the address.'

/** The collector has no mark of this name. The message names a similar one. */
export class UnknownMarkError extends Error {
  constructor(name: string, known: readonly string[]) {
    super(
      known.length === 0
        ? `There is no mark ${name}: set it with waystation mark ${name}.`
        : `There is no mark ${name}; ${nameHint(name, known)}`,
    )
    this.name = 'UnknownMarkError'
  }
}

export function explainFailedRequest(cause: unknown, { url }: Pick<CollectorConnection, 'url'>): RequestFailure {
  const none = (message: string): RequestFailure => ({ code: NO_COLLECTOR, message })
  const wrong = (message: string): RequestFailure => ({ code: USAGE_ERROR, message })
  const timeout = timeoutMessage(cause)
  if (timeout !== null) return none(`The collector at ${url} does not answer (${timeout}): it is stopped or too busy.`)
  if (cause instanceof UnknownMarkError) return wrong(cause.message)
  if (!(cause instanceof CollectorError))
    return none(`The server at ${url} is not a collector of this version: ${messageLine(cause)}`)
  const { status, message } = cause
  if (status === null)
    return none(
      `No collector answers at ${url}: start one (npm start, or waystation run -- CMD), or set --url or WAYSTATION_COLLECTOR_URL. ${RUN_HINT}`,
    )
  if (status === 401)
    return wrong(`The collector at ${url} requires authentication: set WAYSTATION_TOKEN to its token.`)
  if (status === 404 && namesMissingRole(message))
    return none(`The collector at ${url}: ${message}. Use one with that role.`)
  if (status === 404) return none(`The server at ${url} is not a collector, or an older one: it answered 404.`)
  return (status === 400 ? wrong : none)(`The collector at ${url} answered ${status}: ${withStop(message)}`)
}

/** Prints why a request to a collector failed. Returns the exit code, after a stop that of its signal. */
export function refuseRequest(cause: unknown, connection: CollectorConnection, stop: AbortSignal): number {
  if (stop.aborted) return stoppedCode(stop)
  const { code, message } = explainFailedRequest(cause, connection)
  return refuse(code, [message])
}

const withStop = (sentence: string): string => (/[.?!…]$/.test(sentence) ? sentence : `${sentence}.`)

const MOST_CHARACTERS = 200
/** The message of an error on one line. */
export const messageLine = (cause: unknown, mostCharacters = MOST_CHARACTERS): string =>
  (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, ' ').slice(0, mostCharacters)

/** Prints messages, which may have several lines, on stderr, and as annotations in GitHub Actions. Returns the exit code. */
export function refuse(code: number, messages: readonly string[]): number {
  for (const line of messages.flatMap((message) => message.split('\n'))) console.error(plainText(line))
  // Without an annotation, a person has to open the failed step to see the reason.
  if (process.env.GITHUB_ACTIONS === 'true') process.stderr.write(githubRefusal(messages))
  return code
}
