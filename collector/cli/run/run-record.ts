import { join, relative } from 'node:path'
import { plainText, plural } from '../../../lib/format'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { whenAborted } from '../../../lib/time'
import { attemptsOf } from '../../../lib/verdict/arrival/attempts'
import { pagesWithoutPageload } from '../../../lib/verdict/expectations/expected-telemetry'
import type { Report } from '../../../lib/verdict/expectations/report'
import { lastLine, programFailure } from '../../../lib/verdict/reports/report-text'
import { terminalReport, wrap } from '../../../lib/verdict/reports/terminal'
import type { Losses } from '../../../lib/wire/losses'
import { bufferLines, describeExit } from '../../launch/child-process'
import {
  type CollectorReady,
  type NotReady,
  type RunningCollector,
  startCollector,
  stopCollector,
} from '../../launch/start-collector'
import { listenForStop, type StopRequests, stoppedCode } from '../../launch/stop-requests.js'
import type { RunFolder } from '../../runs/run-folder'
import { makeSuiteFolder, readSuiteReports } from '../../runs/suite-reports'
import { refuse } from '../collector-connection'
import { NO_COLLECTOR, USAGE_ERROR, VERDICT_EXIT_CODES } from '../exit-codes'
import type { Gathered } from '../judge/gather'
import { judgeRecording, type Observed } from '../judge/judge-recording'
import type { PlanWithBaseline } from '../judge/judging-arguments'
import { writeReports } from '../judge/write-reports'
import { terminalOf } from '../terminal'
import { COLLECTOR_GONE, type RecordingContents, readRecording } from './read-recording'
import type { RunArguments } from './run-arguments'
import { keepRun } from './run-keep'
import { compareRun, keepGreenRun, PROFILE_FILE, type ProfilePlan } from './run-profile'
import { type ProgramEnd, programEnvironment, proxiesOf, runProgram } from './run-program'
import { runBeginning, runSummary, troubleshooting, unknownNote } from './run-summary'

export interface RecordPlan {
  readonly root: string
  readonly bundles: string
  readonly packaged: boolean
  readonly given: RunArguments
  /** `null`: nothing is judged. */
  readonly plan: PlanWithBaseline | null
  /** `null`: nothing is judged. */
  readonly profile: ProfilePlan | null
  readonly own: NodeJS.ProcessEnv
  readonly env: NodeJS.ProcessEnv
  readonly appUrl: string
  /** Address of the pages; null when there are none. */
  readonly pagesUrl: string | null
  readonly recording: RunFolder
  readonly stop: StopRequests
}

/** Runs the program with its collector, prints what arrived, and judges it. Returns the exit code. */
export async function recordProgram(plan: RecordPlan): Promise<number> {
  const { given, recording, stop } = plan
  const startedAt = Date.now()
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
    await stopCollector(collector, stop.again)
    recording.remove()
    return stoppedCode(stop.first)
  }
  if (!ready.ok) {
    if (!ready.error.explained) lines.flush()
    return refuseNotReady(ready.error, collector, recording)
  }
  const quiet = given.judging?.quiet === true
  const suite = makeSuiteFolder(recording.folder, {
    pagesWithout: [...pagesWithoutPageload(plan.plan?.plan.expect ?? {})],
  })
  const program = await runProgram({
    program: given.program,
    args: given.args,
    env: { ...plan.own, ...programEnvironment(plan.own, { ...ready.value, suite }) },
    stop: stop.first,
    onStarted: () => {
      if (!quiet) console.error(runBeginning({ url: ready.value.url, folder: recording.folder }))
    },
    onLeft: (left) => {
      if (left instanceof Error) console.error(`Processes of the program may still run: ${left.message}.`)
      else if (left > 0 && !quiet)
        console.error(`Ended ${plural(left, 'process', 'processes')} that the program left running.`)
    },
  })
  const endedAt = Date.now()
  // The program has ended: from now on Ctrl-C stops this command.
  const later = listenForStop()
  const observed = { ...(await readSuiteReports(suite)), endedAt }
  const attempts = attemptsOf(observed.browsers)
  const stamps = [...new Set([...attempts.earlier, ...observed.limited])]
  const contents =
    program.ended === 'exited' ? await readRecording(ready.value, { ...plan, stamps }, later.first) : fail('')
  await stopCollector(collector, later.again)
  later.close()
  recording.release()
  lines.flush()
  const { code, report } = conclude(program, contents, {
    plan,
    ready: ready.value,
    exit: describeExit(await collector.child.exited),
    observed: { ...observed, ...attempts },
  })
  if (program.ended === 'not started') return code
  const isKept = await keepRun({ ...plan, url: ready.value.url, report, observed, startedAt, program })
  // Failures in a new baseline fail nothing.
  if (report !== null && !(given.judging?.writeBaseline && code === 0))
    console.error(`\n${lastLine(report, programFailure(program))}`)
  return isKept ? code : code || NO_COLLECTOR
}

interface RunConclusion {
  readonly code: number
  /** `null` when nothing was judged. */
  readonly report: Report | null
}

function conclude(
  program: ProgramEnd,
  contents: Result<RecordingContents, string>,
  {
    plan,
    ready,
    exit,
    observed,
  }: {
    readonly plan: RecordPlan
    readonly ready: CollectorReady
    readonly exit: string
    readonly observed: Observed
  },
): RunConclusion {
  const { folder, remove } = plan.recording
  if (program.ended === 'not started') {
    remove()
    return unjudged(refuse(program.code, [program.message]))
  }
  if (!contents.ok) {
    const why =
      contents.error === COLLECTOR_GONE
        ? `The collector ended before the program did (${exit})`
        : `The recording could not be read: ${contents.error}`
    const code = program.code === 0 ? NO_COLLECTOR : program.code
    return unjudged(refuse(code, [`${why}. ${folder} contains everything that was acknowledged.`]))
  }
  const killed = program.signal === 'SIGKILL' ? ['the program was killed (SIGKILL)'] : []
  const unknown = [...killed, ...contents.value.unknown]
  const facts = {
    ...contents.value,
    unknown,
    localDsn: ready.localDsn,
    folder,
    show: commandToShow(plan),
    proxies: proxiesOf(plan.own),
    code: program.code,
    signal: program.signal,
    browser: program.browser?.text ?? null,
  }
  const summary = runSummary(facts, terminalOf(process.stderr))
  const quiet = plan.given.judging?.quiet === true
  if (!quiet) console.error(summary)
  const verdict = judge(contents.value.gathered, plan, {
    ...facts,
    url: ready.url,
    observed,
    questions: troubleshooting(facts),
  })
  const isGreen = program.code === 0 && verdict.report?.verdict === 'pass'
  if (quiet && !isGreen) console.error(summary)
  const note = unknownNote(unknown)
  if (note !== null && contents.value.gathered !== null && !(quiet && isGreen)) console.error(plainText(note))
  return program.code === 0 ? verdict : { ...verdict, code: program.code }
}

const unjudged = (code: number): RunConclusion => ({ code, report: null })

/**
 * Prints the verdict on stderr.
 * @param gathered `null` when nothing is judged @returns the report, and the exit code of its verdict
 */
function judge(
  gathered: Result<Gathered, string> | null,
  { plan, profile, given, own, pagesUrl, recording }: RecordPlan,
  {
    url,
    questions,
    observed,
    code,
    signal,
    browser,
    lossesOf,
    unknown,
  }: {
    /** Of the collector of the run, where `waystation show` serves its boards again. */
    readonly url: string
    readonly questions: readonly string[]
    readonly observed: Observed
    readonly code: number
    readonly signal: string | null
    readonly browser: string | null
    readonly lossesOf: ReadonlyMap<string, Losses>
    readonly unknown: readonly string[]
  },
): RunConclusion {
  if (gathered === null || plan === null || profile === null || given.judging === null) return unjudged(0)
  if (!gathered.ok)
    return unjudged(refuse(VERDICT_EXIT_CODES.incomplete, [`The recording is not judged: ${gathered.error}.`]))
  const now = Date.now()
  const program = programFailure({ code, signal })
  const { report, counts, gaps } = judgeRecording(gathered.value, {
    plan,
    observed,
    lossesOf,
    profile: profile.profile,
    browser,
    now,
    further: (counts) => compareRun(counts, profile, { recording: recording.folder, program }),
  })
  const { quiet } = given.judging
  const isEmpty = report.from.submissions === 0
  if (isEmpty) {
    // A list of what each rule needs does not help when nothing arrived.
    console.error(
      '  ? Nothing arrived that could be judged, so the run does not pass (--no-check skips the verdict).\n',
    )
    for (const gap of gaps)
      console.error(`${wrap('  ? ', plainText(gap), terminalOf(process.stderr).width).join('\n')}\n`)
  } else if (!quiet || report.verdict !== 'pass') {
    const writing = given.judging.writeBaseline !== null && program === null
    const text = terminalReport(report, { appUrl: pagesUrl ?? url, writing, quiet, ...terminalOf(process.stderr) })
    process.stderr.write(`${text.slice(1)}\n`)
  }
  const written = writeReports(report, {
    given: given.judging,
    env: own,
    now,
    log: console.error,
    questions: isEmpty ? questions : [],
    program,
  })
  if (!written.ok) return { code: refuse(USAGE_ERROR, [written.error]), report }
  const isGreen = report.verdict === 'pass' && program === null
  if (!isGreen && profile.learns) console.error(`${PROFILE_FILE} is not written, because the run is not green.`)
  const learned = isGreen ? keepGreenRun(counts, profile, recording.folder, unknown) : succeed([])
  if (!learned.ok) return { code: refuse(USAGE_ERROR, [learned.error]), report }
  for (const message of learned.value) console.error(message)
  return { code: written.value, report }
}

async function refuseNotReady(
  { message, explained }: NotReady,
  collector: RunningCollector,
  { remove }: RunFolder,
): Promise<number> {
  const { code } = await collector.child.exited
  remove()
  return refuse(explained && code === USAGE_ERROR ? USAGE_ERROR : NO_COLLECTOR, [message])
}

/** The command that opens the boards on the run. */
export function commandToShow({
  root,
  bundles,
  packaged,
  recording,
  given,
}: Pick<RecordPlan, 'root' | 'bundles' | 'packaged'> & {
  readonly recording: Pick<RunFolder, 'folder'>
  readonly given: Pick<RunArguments, 'save'>
}): string {
  const run = shellQuoted(given.save ?? recording.folder)
  // `npx ./waystation.tgz` installs nothing in the project: there `npx waystation` would fetch another package.
  if (packaged && bundles.includes('/_npx/'))
    return `node ${shellQuoted(join(bundles, '../../collector/cli/waystation.js'))} show ${run}`
  if (packaged) return `npx waystation show ${run}`
  return `node ${shellQuoted(join(relative(process.cwd(), root) || '.', 'collector/cli/waystation.js'))} show ${run}`
}

const shellQuoted = (text: string): string => (/^[\w./@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
