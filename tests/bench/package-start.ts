import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { BOARD_PAGES } from '../../lib/wire/pages'
import { installInto, packInto } from '../flow/packed'
import { launchBrowser } from './bench-browser'
import { benchCommand, count, toggle, type Values } from './bench-command'
import { startBenched, startProcess } from './processes'
import { type Goal, goalBelow, goalTable, median, ms, textTable } from './report'
import { cpuMicros, emptyFolder, proportionalBytes } from './resources'

const GOAL_PACKED_MB = 6
const GOAL_START_MS = 1200
const GOAL_READY_MS = 600
const GOAL_READY_CPU_MS = 650
const GOAL_COLLECTOR_MB = 110
const GOAL_BOTH_MB = 150
const BOARD_VISITS = 10

interface Memory {
  readonly collectorMb: number
  readonly supervisorMb: number
  /** A program of Node that does nothing. */
  readonly bareMb: number
}

/** How long a program took, and the CPU time of its process until then. */
interface Took {
  readonly ms: number
  readonly cpuMs: number
}

interface StartFigures {
  readonly packedMb: number
  readonly envelopes: number
  /** `null` on systems without /proc. */
  readonly memory: Memory | null
  /** From the start of the process until `/traces` shows rows in a browser. */
  readonly rowsMs: readonly number[]
  /** From the start of the collector's process, in a new folder, until it accepts envelopes. */
  readonly ready: readonly Took[]
  /** The same for Node with four threads that do nothing. */
  readonly emptyThreads: readonly Took[]
  /** Until a program of Node that does nothing has ended. */
  readonly bareMs: readonly number[]
  readonly wrong: readonly string[]
}

const FLAGS = {
  quick: toggle('fewer envelopes, a short pause, one start'),
  envelopes: count('envelopes', 1000, 100),
  idle: count('seconds between the last visit and the reading of the memory', 60, 2),
  rounds: count('starts; the report contains medians', 5, 1),
}

/** `npm run bench:start`. */
export const { run } = benchCommand({
  name: 'start',
  about: `Packs the package, starts it in an empty folder, posts captured envelopes, and visits ten boards in a browser. Prints the size of the
package, the memory of collector and supervisor after a pause, the time and the CPU time until a collector accepts envelopes,
and the time from the start of the process until the board of traces shows rows, next to Node with four threads that do
nothing and to a program of Node that does nothing. Takes about two minutes.`,
  flags: FLAGS,
  measure: (flags, { own }) => measure(flags, own),
  print: (figures) => {
    console.log(`\n${describe(figures)}\n\n${goalTable(goalsOf(figures))}`)
  },
})

/** @param own folder in this clone, so that the package finds the installed dependencies */
async function measure(flags: Values<typeof FLAGS>, own: string): Promise<StartFigures> {
  const [packed, project, data] = ['packed', 'project', 'data'].map((name) => join(own, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [packed, project]) mkdirSync(folder)
  const root = process.cwd()
  const tarball = packInto(packed, root)
  installInto(project, tarball)
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    const first = await start(project, data)
    const envelopes = await fill(first.url, flags.envelopes)
    for (const { path } of BOARD_PAGES.filter(({ name }) => name !== null).slice(0, BOARD_VISITS)) {
      await page.goto(first.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    await page.goto('about:blank')
    await wait(flags.idle * 1000)
    const memory = await memoryOf(first.child)
    await stop(first.child)
    const [rowsMs, bareMs]: [number[], number[]] = [[], []]
    const [ready, emptyThreads]: [Took[], Took[]] = [[], []]
    for (let round = 0; round < flags.rounds; round += 1) {
      rowsMs.push(await timeToRows(project, data, page))
      bareMs.push(await timeOfBareProgram())
      ready.push(await timeToReady(join(own, 'ready')))
      emptyThreads.push(await timeOfEmptyThreads())
    }
    const packedMb = statSync(tarball).size / 1e6
    const wrong = envelopes === flags.envelopes ? [] : [`${envelopes} of ${flags.envelopes} envelopes were accepted`]
    return { packedMb, envelopes, memory, rowsMs, bareMs, ready, emptyThreads, wrong }
  } finally {
    await browser.close()
  }
}

interface Started {
  readonly child: ChildProcess
  readonly url: string
  readonly begunAt: number
}

async function start(project: string, data: string): Promise<Started> {
  const command = join(project, 'node_modules/.bin/waystation')
  const begunAt = performance.now()
  const child = spawn(process.execPath, [command, 'start', '--port', '0', '--data', data], {
    cwd: project,
    env: { NODE_ENV: 'production', PATH: process.env.PATH, WAYSTATION_OTLP_PORT: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  for await (const chunk of child.stdout) {
    out += String(chunk)
    const url = /Live +(\S+)/.exec(out)?.[1]
    if (url !== undefined) return { child, url, begunAt }
  }
  throw new Error(`waystation start ended: ${out}`)
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** Posts captured envelopes until this many are accepted. */
async function fill(url: string, most: number): Promise<number> {
  const folder = join(process.cwd(), 'tests/fixtures/envelopes')
  const bodies = readdirSync(folder)
    .filter((name) => name.endsWith('.envelope'))
    .map((name) => readFileSync(join(folder, name)))
  let accepted = 0
  for (let n = 0; accepted < most && n < 10 * most; n += 1) {
    const body = bodies[n % bodies.length] as Buffer
    const key = /"dsn":"https?:\/\/([^@:]+)@/.exec(body.toString('latin1'))?.[1] ?? 'bench'
    const project = /"dsn":"[^"]*\/(\d+)"/.exec(body.toString('latin1'))?.[1] ?? '1'
    const answer = await fetch(`${url}/api/${project}/envelope/?sentry_key=${key}`, {
      method: 'POST',
      body: new Uint8Array(body),
    })
    await answer.arrayBuffer()
    if (answer.ok) accepted += 1
  }
  return accepted
}

/** `null` on systems without /proc. */
async function memoryOf(supervisor: ChildProcess): Promise<Memory | null> {
  if (process.platform !== 'linux') return null
  const [collector] = execFileSync('pgrep', ['-P', String(supervisor.pid)], { encoding: 'utf8' }).split('\n')
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'])
  await wait(1000)
  const pss = (pid: number | undefined): number => (proportionalBytes(Number(pid)) ?? Number.NaN) / 1e6
  const bareMb = pss(bare.pid)
  bare.kill()
  return { collectorMb: pss(Number(collector)), supervisorMb: pss(supervisor.pid), bareMb }
}

async function timeToRows(project: string, data: string, page: Page): Promise<number> {
  const { child, url, begunAt } = await start(project, data)
  await page.goto(`${url}/traces`)
  await page.getByRole('row').nth(1).waitFor()
  const took = performance.now() - begunAt
  await page.goto('about:blank')
  await stop(child)
  return took
}

async function timeToReady(folder: string): Promise<Took> {
  const started = await startBenched({ folder: emptyFolder(folder), upstream: null })
  const cpuMs = cpuMicros(started.pid) / 1000
  await started.stop()
  return { ms: started.readyMs, cpuMs }
}

async function timeOfEmptyThreads(): Promise<Took> {
  const begunAt = performance.now()
  const started = await startProcess('empty-threads-process', true)
  const took = { ms: performance.now() - begunAt, cpuMs: cpuMicros(started.pid) / 1000 }
  await started.end()
  return took
}

async function timeOfBareProgram(): Promise<number> {
  const begunAt = performance.now()
  await once(spawn(process.execPath, ['-e', '0']), 'exit')
  return performance.now() - begunAt
}

function describe({ rowsMs, bareMs, ready, emptyThreads, memory, packedMb, envelopes }: StartFigures): string {
  const range = (times: readonly number[]): readonly string[] =>
    [Math.min(...times), median(times), Math.max(...times)].map(ms)
  const times = textTable(
    ['ms', 'shortest', 'median', 'longest'],
    [
      ['start to /traces with rows', ...range(rowsMs)],
      ['start to ready', ...range(ready.map((one) => one.ms))],
      ['start to ready, CPU', ...range(ready.map((one) => one.cpuMs))],
      ['Node with four empty threads', ...range(emptyThreads.map((one) => one.ms))],
      ['Node with four empty threads, CPU', ...range(emptyThreads.map((one) => one.cpuMs))],
      ['a program of Node that does nothing', ...range(bareMs)],
    ],
  )
  const sizes = textTable(
    ['MB', ''],
    [
      ['package, packed', packedMb.toFixed(1)],
      ...(memory === null
        ? []
        : [
            [`collector with ${envelopes} envelopes, PSS`, ms(memory.collectorMb)],
            ['its supervisor, PSS', ms(memory.supervisorMb)],
            ['a program of Node that does nothing, PSS', ms(memory.bareMb)],
          ]),
    ],
  )
  return `${times}\n\n${sizes}`
}

const goalsOf = ({ rowsMs, ready, memory, packedMb }: StartFigures): readonly Goal[] => [
  goalBelow('start to /traces with rows, median', GOAL_START_MS, 'ms', median(rowsMs)),
  goalBelow('start to ready, median', GOAL_READY_MS, 'ms', median(ready.map((one) => one.ms))),
  goalBelow('start to ready, CPU, median', GOAL_READY_CPU_MS, 'ms', median(ready.map((one) => one.cpuMs))),
  goalBelow('memory of the collector', GOAL_COLLECTOR_MB, 'MB', memory?.collectorMb ?? null),
  goalBelow(
    'with its supervisor',
    GOAL_BOTH_MB,
    'MB',
    memory === null ? null : memory.collectorMb + memory.supervisorMb,
  ),
  goalBelow('package, packed', GOAL_PACKED_MB, 'MB', packedMb),
]
