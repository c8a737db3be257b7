import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { hasCode } from '../../collector/launch/processes.js'
import { ROOT } from '../flow/packed'
import { recordingsIn } from '../flow/run-process'
import { type RunSentences, readReports } from './judge'

/** Far more than a run takes, even on a loaded machine. */
const TIMEOUT_MS = 180_000

export interface SuitePlan {
  /** The built fixture app. */
  readonly app: string
  /** For the files of this run. */
  readonly folder: string
  /** The data folder, in which `run` finds the last green run. */
  readonly data: string
  /** Keeps the recording in the data folder. */
  readonly keeps: boolean
  /** The value of `MUTANT`. */
  readonly mutant: string
  /** Flags of `waystation run`. */
  readonly flags: readonly string[]
  readonly chromium: string
  /** The same for all runs, because an app has one address. */
  readonly appPort: number
  readonly thirdPartyPort: number
  /** A port on which nothing listens. */
  readonly deadPort: number
  /** Ends the run. */
  readonly stop: AbortSignal
}

export interface SuiteRun extends RunSentences {
  /** Everything that was printed. */
  readonly output: string
  readonly tookMs: number
}

/** Runs the suite of the fixture app once within `waystation run`, and ends all its processes. */
export async function runSuite(plan: SuitePlan): Promise<SuiteRun> {
  const { app, data, mutant, flags, chromium, appPort, thirdPartyPort, deadPort, stop } = plan
  const { PATH = '', HOME, TMPDIR } = process.env
  const own = mkdtempSync(join(plan.folder, `${mutant}-`))
  const [report, suite] = [join(own, 'report.json'), join(own, 'suite.json')]
  const before = recordingsIn(data)
  const began = performance.now()
  const child = spawn('waystation', ['run', '--report', report, ...flags, '--', 'playwright', 'test'], {
    cwd: app,
    detached: true,
    env: {
      ...{ PATH: [join(app, 'node_modules/.bin'), join(ROOT, 'node_modules/.bin'), PATH].join(':'), HOME, TMPDIR },
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      FORCE_COLOR: '0',
      PORT: String(appPort),
      CHROMIUM: chromium,
      MUTANT: mutant,
      THIRD_PARTY_PORT: String(thirdPartyPort),
      DEAD_PORT: String(deadPort),
      WAYSTATION_DATA: data,
      LIFEBOAT: join(own, 'lifeboat'),
      SUITE_REPORT: suite,
      SUITE_OUTPUT: join(own, 'output'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const end = (): void => endGroup(child.pid)
  const timer = setTimeout(end, TIMEOUT_MS)
  stop.addEventListener('abort', end)
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    const printed = stripVTControlCharacters(output)
    const read = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null)
    return {
      ...readReports({ exitCode, report: read(report), suite: read(suite), output: printed }),
      output: printed,
      tookMs: performance.now() - began,
    }
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', end)
    end()
    const recordings = plan.keeps ? [] : recordingsIn(data).filter((folder) => !before.includes(folder))
    // A process that was just ended may still write.
    for (const left of [own, ...recordings])
      rmSync(left, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** Ends all processes of a group that still run. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (cause) {
    if (!hasCode(cause, 'ESRCH')) throw cause
  }
}
