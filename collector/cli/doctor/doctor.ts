import type { Call } from '../../../lib/ask/calls'
import { doctorAnswer } from '../../../lib/ask/explain'
import { parseDsn } from '../../../lib/protocol/dsn'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { rolesText } from '../../../lib/protocol/roles'
import { runWithTimeout, timeoutMessage } from '../../../lib/time'
import { CollectorError } from '../../../lib/wire/errors'
import type { JournalFact } from '../../../lib/wire/journal'
import type { Overview, Status } from '../../../lib/wire/overview'
import type { Storage } from '../../../lib/wire/storage'
import { stoppedCode } from '../../launch/stop-requests.js'
import { type ArgumentError, helpOrRefuse, parseArguments } from '../arguments'
import { printBrief, readBrief } from '../brief'
import {
  type CollectorConnection,
  type CommandInput,
  connectCollector,
  explainFailedRequest,
  normaliseAddress,
  RUN_HINT,
  refuse,
} from '../collector-connection'
import { NO_COLLECTOR, USAGE_ERROR } from '../exit-codes'
import { DOCTOR_FLAGS } from '../flags.js'
import { type AppProbe, acceptsConnections, checkPage, checkProbe, checkTunnel, readPageSdk } from './doctor-app'
import {
  broken,
  type Check,
  type CheckResult,
  checkAdmission,
  checkClock,
  checkDigest,
  checkDisk,
  checkDsn,
  checkEndpoint,
  checkReadiness,
  checkStore,
  checksJson,
  checksText,
  checkUpstreams,
  checkVariables,
  ok,
  type SdkDsn,
  sdkDsn,
  skipped,
} from './doctor-checks'
import { checkSources } from './doctor-sources'

const CHECK_FAILED = 1
const TIMEOUT_MS = 10_000
/** The most facts in one answer. */
const FACTS_READ = 1000

/** `waystation doctor`: checks the path from the SDK to upstream. Returns the exit code. */
export async function command({ root, words, stop, packaged }: CommandInput): Promise<number> {
  // Our .env files name the collector; the SDK gets the variables of the shell.
  const own = { ...process.env }
  const read = readDoctorArguments(words.slice(1))
  if (!read.ok) return helpOrRefuse('doctor', read.error)
  const { url, app, tunnel, dsn, json, brief } = read.value
  const connection = connectCollector(url, { root, packaged })
  if (!connection.ok) return refuse(USAGE_ERROR, connection.error)
  if (app !== null && normaliseAddress(app) === connection.value.url)
    return refuse(USAGE_ERROR, [`--app must be the address of your app, got that of the collector: ${app}`])
  const checks = await examine(connection.value, { app, tunnel, dsn, own, stop: stop.first })
  if (stop.first.aborted) return stoppedCode(stop.first)
  if (brief !== null) printBrief(doctorAnswer(checks, null), brief)
  else console.log(json ? checksJson(checks) : checksText(checks))
  if (checks.find(({ id }) => id === 'collector')?.state === 'broken') return NO_COLLECTOR
  return checks.some(({ state }) => state === 'broken') ? CHECK_FAILED : 0
}

/**
 * Checks the path from the SDK to upstream. It requests pages only of an app that is given.
 * @param of.own the variables of the shell, which an SDK would read
 */
export const examine = (
  connection: CollectorConnection,
  {
    app,
    tunnel,
    dsn,
    own,
    stop,
  }: Pick<DoctorArguments, 'app' | 'tunnel' | 'dsn'> & { readonly own: NodeJS.ProcessEnv; readonly stop: AbortSignal },
): Promise<readonly Check[]> =>
  runChecks(
    connection,
    { fetch, connects: acceptsConnections, appUrl: app, tunnel, requiresTunnel: tunnel !== null, stop },
    { dsn: sdkDsn(dsn, own), own },
  )

async function runChecks(
  connection: CollectorConnection,
  given: Omit<AppProbe, 'tunnel'> & { readonly tunnel: string | null },
  { dsn, own }: { readonly dsn: SdkDsn | null; readonly own: NodeJS.ProcessEnv },
): Promise<readonly Check[]> {
  const { client, url } = connection
  const sdk = await readPageSdk({ ...given, tunnel: '' })
  const probe: AppProbe = { ...given, tunnel: given.tunnel ?? (sdk.ok ? sdk.value.tunnel : null) ?? '/tunnel' }
  const tunnel = await checkTunnel(probe)
  const hasTunnel = tunnel.state === 'ok'
  const page = sdk.ok ? checkPage(sdk.value, probe, { hasTunnel }) : sdk.error
  // Before the probe, which is an envelope itself.
  const state = await readCollector(connection, probe.stop)
  const probed = await checkProbe(sdk.ok ? sdk.value : null, probe, { hasTunnel })
  const localDsn = state.ok ? state.value.status.localDsn : null
  const whenAnswered = (check: (value: CollectorState) => CheckResult): CheckResult =>
    state.ok ? check(state.value) : skipped('The collector does not answer.')
  const whenQueried = (check: (value: QueriedState) => CheckResult): CheckResult =>
    whenAnswered(({ queried }) =>
      queried === null ? skipped('The collector has no role query: check one that has it.') : check(queried),
    )
  const admission =
    localDsn === null
      ? skipped(state.ok ? 'The collector receives nothing.' : 'The collector does not answer.')
      : await checkAdmission(dsn, localDsn, (of) =>
          runWithTimeout(TIMEOUT_MS, probe.stop, (signal) => client.admission(of, signal)),
        ).catch((cause: unknown) => skipped(explainFailedRequest(cause, connection).message))
  const results: readonly (readonly [id: string, title: string, CheckResult])[] = [
    ['variables', 'Variables', checkVariables(own)],
    ['dsn', 'DSN', checkDsn(dsn, { collectorUrl: url, localDsn, behindTunnel: hasTunnel })],
    ['page', 'Page', page],
    ['tunnel', 'Tunnel', tunnel],
    ['probe', 'Probe', probed],
    ['collector', 'Collector', state.ok ? ok(`${url} answers.${withRoles(state.value.status)}`) : state.error],
    ['ready', 'Ready', whenAnswered(({ notReady }) => checkReadiness(notReady))],
    ...storeCheck(state),
    ['clock', 'Clock', whenAnswered(({ status, at, tookMs }) => checkClock(status, at, tookMs))],
    ['admission', 'Admission', admission],
    [
      'endpoint',
      'Endpoint',
      whenQueried(({ overview, facts }) =>
        facts === null
          ? skipped(
              'The copy of the shared record may lack the newest envelopes.',
              'Run doctor again once it is complete.',
            )
          : checkEndpoint(overview, facts, { isProven: probed.state === 'ok' || admission.state === 'ok' }),
      ),
    ],
    ['disk', 'Disk', whenQueried(({ storage }) => checkDisk(storage))],
    ['digest', 'Digest', whenQueried(({ overview, storage }) => checkDigest(overview, storage))],
    ['upstream', 'Upstream', whenAnswered(({ status }) => checkUpstreams(status))],
  ]
  const sources = checkSources(process.cwd())
  const all =
    sources === null ? results : [...results.slice(0, 2), ['sources', 'Sources', sources] as const, ...results.slice(2)]
  return all.map(([id, title, result]) => ({ id, title, ...result }))
}

/** Says the roles of a collector that has not all. */
const withRoles = ({ roles }: Status): string => (roles === undefined ? '' : ` Its roles: ${rolesText(roles)}.`)

interface CollectorState {
  readonly status: Status
  readonly notReady: readonly string[]
  readonly at: number
  readonly tookMs: number
  /** `null` for a collector without the role `query`. */
  readonly queried: QueriedState | null
}

interface QueriedState {
  readonly overview: Overview
  readonly storage: Storage
  /** `null` while the collector cannot know the newest ones of a shared record. */
  readonly facts: readonly JournalFact[] | null
}

/** Nothing for a record that is not shared. */
const storeCheck = (
  state: Result<CollectorState, CheckResult>,
): readonly (readonly [id: string, title: string, CheckResult])[] =>
  state.ok && state.value.status.store !== undefined ? [['store', 'Store', checkStore(state.value.status.store)]] : []

async function readCollector(
  connection: CollectorConnection,
  stop: AbortSignal,
): Promise<Result<CollectorState, CheckResult>> {
  const { client, url } = connection
  try {
    const began = performance.now()
    const status = await runWithTimeout(TIMEOUT_MS, stop, client.status)
    const [at, tookMs] = [Date.now(), performance.now() - began]
    const answersQueries = status.roles?.includes('query') ?? true
    const [ready, queried] = await runWithTimeout(TIMEOUT_MS, stop, (signal) =>
      Promise.all([
        fetch(`${url}/health/ready`, { signal }).then((answer) => answer.json()),
        answersQueries ? readQueried(client, signal) : null,
      ]),
    )
    return succeed({ status, notReady: notReadyReasons(ready), at, tookMs, queried })
  } catch (cause) {
    const timeout = timeoutMessage(cause)
    if (timeout !== null)
      return fail(
        broken(`The collector at ${url} does not answer (${timeout}).`, 'It is stopped or too busy: restart it.'),
      )
    const status = cause instanceof CollectorError ? cause.status : 0
    if (status === null)
      return fail(
        broken(
          `No collector answers at ${url}.`,
          `Start one (npm start, or waystation run -- CMD), or set --url or WAYSTATION_COLLECTOR_URL. ${RUN_HINT}`,
        ),
      )
    return fail(
      broken(
        explainFailedRequest(cause, connection).message,
        status >= 500
          ? 'Run doctor again; if it still fails, the output of the collector has the reason.'
          : 'Check its address (--url, WAYSTATION_COLLECTOR_URL) and its token (WAYSTATION_TOKEN).',
      ),
    )
  }
}

async function readQueried(client: CollectorConnection['client'], signal: AbortSignal): Promise<QueriedState> {
  const [overview, storage] = await Promise.all([client.overview(signal), client.storage(signal)])
  const after = Math.max(0, overview.journal - FACTS_READ)
  const facts = await client.facts(after, 0, signal).then(
    (page) => page.facts,
    (cause: unknown) => {
      if (!(cause instanceof CollectorError) || cause.behind === null) throw cause
      return null
    },
  )
  return { overview, storage, facts }
}

const notReadyReasons = (ready: unknown): readonly string[] =>
  typeof ready === 'object' && ready !== null && 'notReady' in ready && Array.isArray(ready.notReady)
    ? ready.notReady.map(String)
    : []

interface DoctorArguments {
  readonly url: string | null
  readonly app: string | null
  readonly tunnel: string | null
  readonly dsn: string | null
  readonly json: boolean
  readonly brief: Call | null
}

function readDoctorArguments(args: readonly string[]): Result<DoctorArguments, ArgumentError> {
  const parsed = parseArguments(args, DOCTOR_FLAGS)
  if (!parsed.ok) return parsed
  const { value, has, wrong, positionals } = parsed.value
  const [positional] = positionals
  if (positional !== undefined)
    return fail(`unknown argument ${JSON.stringify(positional)}; doctor takes only flags, see --help`)
  const [app, tunnel, dsn] = [value('--app'), value('--tunnel'), value('--dsn')]
  if (app !== null && normaliseAddress(app) === null) return fail(wrong('--app'))
  if (tunnel !== null && !/^\/[^/]/.test(tunnel)) return fail(wrong('--tunnel'))
  const parsedDsn = dsn === null ? null : parseDsn(dsn)
  if (parsedDsn !== null && !parsedDsn.ok) return fail(`--dsn: ${parsedDsn.error}`)
  const brief = readBrief('doctor', parsed.value.given)
  return brief.ok ? succeed({ url: value('--url'), app, tunnel, dsn, json: has('--json'), brief: brief.value }) : brief
}
