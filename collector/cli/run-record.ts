import { resolve } from 'node:path'
import { plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { runWithTimeout, sleep, timeoutMessage, whenAborted } from '../../lib/time'
import { type CollectorClient, CollectorError } from '../../lib/wire/collector-client'
import type { Losses } from '../../lib/wire/losses'
import type { Overview } from '../../lib/wire/overview'
import { bufferLines, describeExit, stopInOrder } from '../launch/child-process'
import { type CollectorReady, type NotReady, type RunningCollector, startCollector } from '../launch/start-collector'
import { listenForStop, type StopRequests, stoppedCode } from '../launch/stop-requests.js'
import { clientAt, NO_COLLECTOR, refuse, WRONG_WORDS } from './asked-collector'
import type { PlanWithBaseline } from './check-plan-files'
import { type Gathered, gather } from './gather'
import { type ProgramEnd, runProgram } from './run-child'
import { programEnvironment, proxiesOf } from './run-environment'
import type { Recording } from './run-folder'
import { judgeRun } from './run-judge'
import { settleRecording } from './run-settle'
import { questionsOf, runBeginning, runSummary } from './run-summary'
import type { RunWords } from './run-words'
import { terminalOf, waitingLine } from './terminal'

const STOPS_WITHIN_MS = 6_500
const TIMEOUT_MS = 5_000
const MOST_GATHERING_MS = 120_000
/** At a recording that grows all the time. */
const MOST_LOOKS = 3
const GONE = 'gone'
/** Of what stands in an error. */
const MOST_WORDS = 300

export interface RecordPlan {
  readonly root: string
  readonly bundles: string
  readonly packaged: boolean
  readonly asked: RunWords
  /** How it is judged; `null` where it is not. */
  readonly plan: PlanWithBaseline | null
  /** What the program inherits. */
  readonly own: NodeJS.ProcessEnv
  /** The collector's. */
  readonly env: NodeJS.ProcessEnv
  readonly appUrl: string
  /** Where a person opens the boards; `null` where there are none. */
  readonly boards: string | null
  readonly recording: Recording
  readonly stop: StopRequests
}

/** Runs the program beside its collector and says at the end what arrived. @returns the exit code */
export async function recordProgram(plan: RecordPlan): Promise<number> {
  const { asked, recording, stop } = plan
  const lines = bufferLines('collector', (line) => console.error(plainText(line)))
  const collector = startCollector({
    root: plan.root,
    bundles: plan.bundles,
    env: plan.env,
    dataFolder: recording.folder,
    port: 0,
    appUrl: plan.appUrl,
    onLine: lines.add,
  })
  const ready = await Promise.race([collector.ready, whenAborted(stop.first)])
  if (ready === null) {
    await end(collector, stop.again)
    recording.remove()
    return stoppedCode(stop.first)
  }
  if (!ready.ok) {
    if (!ready.error.explained) lines.flush()
    return notRecorded(ready.error, collector, recording)
  }
  const program = await runProgram({
    program: asked.program,
    args: asked.args,
    env: { ...plan.own, ...programEnvironment(plan.own, ready.value) },
    asked: stop.first,
    onBegun: () => console.error(runBeginning({ url: ready.value.url, folder: recording.folder })),
  })
  // From here on a Ctrl-C is meant for us.
  const later = listenForStop()
  const account = program.ended === 'exited' ? await takeAccount(ready.value, plan, later.first) : fail('')
  await end(collector, later.again)
  later.close()
  recording.release()
  lines.flush()
  return conclude(program, account, { plan, ready: ready.value, exit: describeExit(await collector.child.exited) })
}

/** What the collector says when the program has ended. */
interface Account {
  readonly overview: Overview
  readonly losses: Losses
  /** All that is judged, or why there is nothing to judge; `null` where nothing is to be judged. */
  readonly gathered: Result<Gathered, string> | null
}

/** @returns the account, or why there is none: whatever that is, the program's exit code is what it is. */
async function takeAccount(
  { url }: CollectorReady,
  { asked, plan, env }: RecordPlan,
  stop: AbortSignal,
): Promise<Result<Account, string>> {
  const client = clientAt(url, env.WAYSTATION_TOKEN)
  const line = waitingLine()
  try {
    await settleRecording({
      client,
      forMs: asked.settleMs,
      now: () => performance.now(),
      pause: (ms) => sleep(ms, stop),
      stop,
      onWait: line.show,
    })
    for (let looks = 1; ; looks += 1) {
      const gathered =
        plan === null
          ? null
          : await runWithTimeout(MOST_GATHERING_MS, stop, (signal) => gatherRecording(client, url, signal, line))
      const [overview, losses] = await runWithTimeout(TIMEOUT_MS, null, (signal) =>
        Promise.all([client.overview(signal), client.losses({ signal })]),
      )
      // What is told and what is judged are of one moment: what arrived in between is judged, too.
      if (looks === MOST_LOOKS || !gathered?.ok || gathered.value.journal >= overview.journal)
        return succeed({ overview, losses, gathered })
    }
  } catch (cause) {
    return fail(whyUntold(cause))
  } finally {
    line.clear()
  }
}

/** What is judged of it. */
async function gatherRecording(
  client: CollectorClient,
  collectorUrl: string,
  stop: AbortSignal,
  line: ReturnType<typeof waitingLine>,
): Promise<Result<Gathered, string>> {
  try {
    const onProgress = (done: number, of: number) => line.show(`for what was recorded to be read, ${done} of ${of}`)
    return succeed(await gather({ client, collectorUrl, stamp: null, after: null, stop, onProgress }))
  } catch (cause) {
    if (timeoutMessage(stop.reason) !== null) return fail(`not all was read within ${MOST_GATHERING_MS / 1000} s`)
    return fail(stop.aborted ? 'it was stopped before all was read' : whyUntold(cause))
  }
}

/** `gone`, or what the collector answered instead. */
function whyUntold(cause: unknown): string {
  const late = timeoutMessage(cause)
  if (late !== null) return `the collector does not answer, ${late}`
  if (cause instanceof CollectorError && cause.status === null) return GONE
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, MOST_WORDS)
}

function conclude(
  program: ProgramEnd,
  account: Result<Account, string>,
  { plan, ready, exit }: { readonly plan: RecordPlan; readonly ready: CollectorReady; readonly exit: string },
): number {
  const { folder, remove } = plan.recording
  if (program.ended === 'not-begun') {
    remove()
    return refuse(program.code, [program.sentence])
  }
  if (!account.ok) {
    const why =
      account.error === GONE
        ? `The collector ended before the program did (${exit})`
        : `What arrived cannot be told: ${account.error}`
    return refuse(program.code === 0 ? NO_COLLECTOR : program.code, [`${why}; ${folder} has what it had acknowledged.`])
  }
  const facts = {
    ...account.value,
    localDsn: ready.localDsn,
    folder,
    show: showAgain(plan),
    proxies: proxiesOf(plan.own),
    code: program.code,
    signal: program.signal,
  }
  console.error(runSummary(facts, terminalOf(process.stderr)))
  const verdict = judgeRun(account.value.gathered, plan, { ...facts, questions: questionsOf(facts) })
  if (program.code === 0) return verdict
  // The verdict is the last that was read, and it may be a good one.
  console.error(`The exit code is the program's own: ${program.code}.`)
  return program.code
}

async function notRecorded(
  { message: sentence, explained }: NotReady,
  collector: RunningCollector,
  { remove }: Recording,
): Promise<number> {
  const { code } = await collector.child.exited
  remove()
  return refuse(explained && code === WRONG_WORDS ? WRONG_WORDS : NO_COLLECTOR, [sentence])
}

const end = ({ child, stop }: RunningCollector, force: AbortSignal): Promise<boolean> =>
  stopInOrder([{ child, stop, withinMs: STOPS_WITHIN_MS }], force)

/** The recording again, with all boards: a line for a shell. */
function showAgain({ root, packaged, recording }: RecordPlan): string {
  const data = `WAYSTATION_DATA=${shellWord(recording.folder)}`
  if (packaged) return `${data} npm start, in a clone of Waystation, shows it`
  return `${data} npm ${process.cwd() === resolve(root) ? '' : `--prefix ${shellWord(resolve(root))} `}start`
}

const shellWord = (word: string): string => (/^[\w./@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
