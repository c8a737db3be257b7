import { type Environment, explainProblem, readEnvironment } from '../../lib/config/environment'
import { plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { timeoutMessage } from '../../lib/time'
import { githubRefusal } from '../../lib/verdict/reports/github'
import { type CollectorClient, CollectorError, collectorClient } from '../../lib/wire/collector-client'
import { loadEnvironmentFiles } from '../launch/start-settings'
import type { CommandHandover } from './command-handover'

/** Exit code: what was typed or set cannot be used. */
export const WRONG_WORDS = 2
/** Exit code: there is no collector, or no recording. */
export const NO_COLLECTOR = 3

/** Longest wait for an answer: a busy collector answers late, a stopped one never. */
export const ANSWER_TIMEOUT_MS = 30_000

/** A running collector that a command asks. */
export interface AskedCollector {
  /** Without a trailing slash. */
  readonly url: string
  readonly client: CollectorClient
  /** Where a person opens the boards; `null` where there are none. */
  readonly appUrl: string | null
}

/**
 * The collector that is meant: `--url`, else the one that the environment names.
 * @returns it, or sentences that say what was read and meant
 */
export function askedCollector(
  given: string | null,
  { root, packaged }: Pick<CommandHandover, 'root' | 'packaged'>,
): Result<AskedCollector, readonly string[]> {
  loadEnvironmentFiles(root, false)
  const read = readEnvironment(process.env)
  if (!read.ok) return fail(read.error.map(explainProblem))
  const { collectorUrl, token } = read.value
  const url = given === null ? collectorUrl : addressOf(given)
  if (url === null) return fail([`--url ${given}: meant is the address of a collector, such as http://127.0.0.1:8969.`])
  return succeed({ url, client: clientAt(url, token), appUrl: boardsAt(read.value, packaged) })
}

/** What asks the collector at an address, with the token that guards it, where one does. */
export const clientAt = (url: string, token: string | undefined): CollectorClient =>
  collectorClient(url, fetch, token ? { authorization: `Bearer ${token}` } : {})

export const appUrlOf = ({ appOrigins, appPort }: Environment): string => appOrigins[0] ?? `http://localhost:${appPort}`

/** A package has no boards; what listens where they would be is somebody's own app. They may be on another machine. */
export const boardsAt = (environment: Environment, packaged: boolean): string | null =>
  packaged && !process.env.WAYSTATION_APP_URL ? null : appUrlOf(environment)

/** A base address of http or https without a trailing slash; `null` where it is none. */
export function addressOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Why a collector did not answer a question: a sentence that says what to do, and the exit code that goes with it. */
export interface Unanswered {
  readonly code: typeof WRONG_WORDS | typeof NO_COLLECTOR
  readonly sentence: string
}

/** Beside a run the address of everybody's collector is the wrong one. */
export const RUN_HAS_ITS_OWN = 'That of a waystation run is elsewhere: its first line on stderr says where.'

export function explainUnanswered(cause: unknown, { url }: Pick<AskedCollector, 'url'>): Unanswered {
  const none = (sentence: string): Unanswered => ({ code: NO_COLLECTOR, sentence })
  const wrong = (sentence: string): Unanswered => ({ code: WRONG_WORDS, sentence })
  const late = timeoutMessage(cause)
  if (late !== null) return none(`What listens at ${url} does not answer, ${late}: it is stopped, or too busy.`)
  if (!(cause instanceof CollectorError))
    return none(`What answers at ${url} is no collector of this version: ${firstLine(cause)}`)
  const { status, message } = cause
  if (status === null)
    return none(
      `No collector answers at ${url}: start one (npm start, or waystation run -- CMD), or name another with --url or WAYSTATION_COLLECTOR_URL. ${RUN_HAS_ITS_OWN}`,
    )
  if (status === 401)
    return wrong(`The collector at ${url} wants a token: set WAYSTATION_TOKEN to the one that it was started with.`)
  if (status === 404) return none(`What answers at ${url} is no collector, or an older one: it answered 404.`)
  return (status === 400 ? wrong : none)(`The collector at ${url} answered ${status}: ${withStop(message)}`)
}

const withStop = (sentence: string): string => (/[.?!…]$/.test(sentence) ? sentence : `${sentence}.`)

const MOST_WORDS = 200
const firstLine = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, ' ').slice(0, MOST_WORDS)

/** Says on stderr, and to GitHub where that runs it, why there is nothing to be had. @returns the exit code */
export function refuse(code: number, sentences: readonly string[]): number {
  for (const sentence of sentences) console.error(plainText(sentence))
  // A step that is red without an annotation has to be opened to be understood.
  if (process.env.GITHUB_ACTIONS === 'true') process.stderr.write(githubRefusal(sentences))
  return code
}
