import { parseDsn } from '../../lib/protocol/dsn'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { runWithTimeout, timeoutMessage } from '../../lib/time'
import { CollectorError } from '../../lib/wire/errors'
import type { JournalFact } from '../../lib/wire/journal'
import type { Overview } from '../../lib/wire/overview'
import type { Storage } from '../../lib/wire/storage'
import { stoppedCode } from '../launch/stop-requests.js'
import {
  type AskedCollector,
  addressOf,
  askedCollector,
  explainUnanswered,
  NO_COLLECTOR,
  RUN_HAS_ITS_OWN,
  refuse,
  WRONG_WORDS,
} from './asked-collector'
import type { CommandHandover } from './command-handover'
import { type AppProbe, connectsTo, lookAtPage, lookAtTunnel } from './doctor-app'
import { lookAtClock, lookAtDigest, lookAtEndpoint, lookAtRoom, lookAtUpstreams } from './doctor-collector'
import { broken, chainJson, type Link, type Look, notLookedAt, ok, toldChain } from './doctor-link'
import { lookAtAdmission, lookAtDsn, lookAtVariables, type SdkDsn, sdkDsn } from './doctor-sender'
import { readFlags } from './flags'
import { DOCTOR_HELP } from './waystation-help.js'

const BROKEN = 1
const TIMEOUT_MS = 10_000
/** As many as one answer carries. */
const FACTS_LOOKED_AT = 1000

/** What doctor takes, and what stands behind it. */
export const DOCTOR_FLAGS = {
  '--url': 'the address of a collector',
  '--app': 'the address of your app, such as http://localhost:3000',
  '--tunnel': 'the path of its tunnel, such as /tunnel',
  '--dsn': 'the DSN that your SDK has',
  '--json': null,
} as const

interface DoctorWords {
  readonly url: string | null
  readonly app: string | null
  /** `null` where none was asked for. */
  readonly tunnel: string | null
  readonly dsn: string | null
  readonly json: boolean
}

/** `waystation doctor`: walks the chain, and says which link is broken. @returns the exit code, as its help says */
export async function command({ root, words, stop, packaged }: CommandHandover): Promise<number> {
  // Our own .env files are read for where the collector is; what the SDK has is what the shell says.
  const own = { ...process.env }
  const read = readDoctorWords(words.slice(1))
  if (!read.ok) return refuse(WRONG_WORDS, [read.error])
  if (read.value === 'help') {
    console.log(DOCTOR_HELP)
    return 0
  }
  const { url, app, tunnel, dsn, json } = read.value
  const collector = askedCollector(url, { root, packaged })
  if (!collector.ok) return refuse(WRONG_WORDS, collector.error)
  if (app !== null && addressOf(app) === collector.value.url)
    return refuse(WRONG_WORDS, [`--app ${app} is the collector itself: meant is the address of your app.`])
  const probe: AppProbe = {
    fetch,
    connects: connectsTo,
    appUrl: app,
    tunnel: tunnel ?? '/tunnel',
    tunnelIsAskedFor: tunnel !== null,
    stop: stop.first,
  }
  const links = await walk(collector.value, probe, { dsn: sdkDsn(dsn, own), own })
  if (stop.first.aborted) return stoppedCode(stop.first)
  if (json) console.log(chainJson(links))
  else console.log(toldChain(links))
  if (links.find(({ id }) => id === 'collector')?.state === 'broken') return NO_COLLECTOR
  return links.some(({ state }) => state === 'broken') ? BROKEN : 0
}

/** From the SDK's option to upstream. */
async function walk(
  collector: AskedCollector,
  probe: AppProbe,
  { dsn, own }: { readonly dsn: SdkDsn | null; readonly own: NodeJS.ProcessEnv },
): Promise<readonly Link[]> {
  const [told, tunnel] = await Promise.all([askCollector(collector, probe.stop), lookAtTunnel(probe)])
  const page = await lookAtPage(probe, { tunnelIsThere: tunnel.state === 'ok' })
  const localDsn = told.ok ? told.value.overview.localDsn : null
  const unseen = notLookedAt('The collector does not answer.')
  const of = (look: (value: Told) => Look): Look => (told.ok ? look(told.value) : unseen)
  const admission = told.ok
    ? await lookAtAdmission(dsn, told.value.overview.localDsn, (asked) =>
        runWithTimeout(TIMEOUT_MS, probe.stop, (signal) => collector.client.admission(asked, signal)),
      ).catch((cause: unknown) => notLookedAt(explainUnanswered(cause, collector).sentence))
    : unseen
  const seen: readonly (readonly [string, string, Look])[] = [
    ['variables', 'Variables', lookAtVariables(own)],
    ['dsn', 'DSN', lookAtDsn(dsn, { collectorUrl: collector.url, localDsn, behindTunnel: tunnel.state === 'ok' })],
    ['page', 'Page', page],
    ['tunnel', 'Tunnel', tunnel],
    ['collector', 'Collector', told.ok ? ok(`${collector.url} answers.`) : told.error],
    ['ready', 'Ready', of(({ notReady }) => lookAtReadiness(notReady))],
    ['clock', 'Clock', of(({ overview, at, tookMs }) => lookAtClock(overview, at, tookMs))],
    ['admission', 'Admission', admission],
    ['endpoint', 'Endpoint', of(({ overview, facts }) => lookAtEndpoint(overview, facts))],
    ['room', 'Room', of(({ storage }) => lookAtRoom(storage))],
    ['digest', 'Digest', of(({ overview, storage }) => lookAtDigest(overview, storage))],
    ['upstream', 'Upstream', of(({ overview }) => lookAtUpstreams(overview))],
  ]
  return seen.map(([id, title, look]) => ({ id, title, ...look }))
}

/** What the collector says of itself. */
interface Told {
  readonly overview: Overview
  readonly storage: Storage
  readonly notReady: readonly string[]
  /** The newest of the journal, oldest first. */
  readonly facts: readonly JournalFact[]
  /** Ours when it answered, in ms since the epoch. */
  readonly at: number
  readonly tookMs: number
}

async function askCollector(collector: AskedCollector, stop: AbortSignal): Promise<Result<Told, Look>> {
  const { client, url } = collector
  try {
    const began = performance.now()
    const overview = await runWithTimeout(TIMEOUT_MS, stop, client.overview)
    const [at, tookMs] = [Date.now(), performance.now() - began]
    const [storage, ready, { facts }] = await runWithTimeout(TIMEOUT_MS, stop, (signal) =>
      Promise.all([
        client.storage(signal),
        fetch(`${url}/health/ready`, { signal }).then((answer) => answer.json()),
        client.facts(Math.max(0, overview.journal - FACTS_LOOKED_AT), 0, signal),
      ]),
    )
    return succeed({ overview, storage, notReady: sentencesOf(ready), facts, at, tookMs })
  } catch (cause) {
    const late = timeoutMessage(cause)
    if (late !== null)
      return fail(
        broken(`What listens at ${url} does not answer, ${late}.`, 'Is it stopped, or too busy? Start it again.'),
      )
    const isThere = !(cause instanceof CollectorError) || cause.status !== null
    const { sentence } = explainUnanswered(cause, collector)
    const mend = isThere
      ? 'Is it the one that is meant (--url, WAYSTATION_COLLECTOR_URL), and is WAYSTATION_TOKEN its token?'
      : `Start one (npm start, or waystation run -- CMD), or name another with --url or WAYSTATION_COLLECTOR_URL. ${RUN_HAS_ITS_OWN}`
    return fail(broken(isThere ? sentence : `No collector answers at ${url}.`, mend))
  }
}

const sentencesOf = (ready: unknown): readonly string[] =>
  typeof ready === 'object' && ready !== null && 'notReady' in ready && Array.isArray(ready.notReady)
    ? ready.notReady.map(String)
    : []

const lookAtReadiness = (notReady: readonly string[]): Look =>
  notReady.length === 0
    ? ok('It takes what it is sent.')
    : broken(notReady.join('; '), 'The links below say more; /health/ready has the same sentences.')

/** @returns what was typed; `help`; or a sentence that says what was meant */
function readDoctorWords(typed: readonly string[]): Result<DoctorWords | 'help', string> {
  const read = readFlags(typed, { table: DOCTOR_FLAGS })
  if (!read.ok) return read
  const { help, value, has, words } = read.value
  if (help) return succeed('help')
  if (words.length > 0) return fail(`${JSON.stringify(words[0])} is not understood: all that doctor takes are flags.`)
  const app = value('--app')
  if (app !== null && addressOf(app) === null) return fail(`--app ${app}: meant is ${DOCTOR_FLAGS['--app']}.`)
  const tunnel = value('--tunnel')
  if (tunnel !== null && !/^\/[^/]/.test(tunnel))
    return fail(`--tunnel ${tunnel}: meant is ${DOCTOR_FLAGS['--tunnel']}.`)
  const dsn = value('--dsn')
  const parsed = dsn === null ? null : parseDsn(dsn)
  if (parsed !== null && !parsed.ok) return fail(`--dsn: ${parsed.error}.`)
  return succeed({ url: value('--url'), app, tunnel, dsn, json: has('--json') })
}
