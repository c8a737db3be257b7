import { spawn, spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from '@playwright/test'
import { anyFreePort, isAnswered } from '../../collector/launch/ports'
import { sleep } from '../../lib/time'
import { launchBrowser } from './bench-browser'
import { benchCommand, count, type Folders, type Measured, toggle, type Values } from './bench-command'
import { type Goal, goalBelow, goalTable, median, percentile, textTable } from './report'

const GOAL_FIRST_KB = 36
const GOAL_ALL_KB = 58
const GOAL_TASK_MS = 50
/** How much slower than this machine the browser's CPU is made. */
const SLOWED = 4
/** Until the SDK has loaded, the page load was sent, and the page is idle again. */
const SETTLE_MS = 4000
const CLICKS = 5
const HOST = '127.0.0.1'

const VARIANTS = ['without', 'with'] as const
type Variant = (typeof VARIANTS)[number]

/** One page load. Times in milliseconds; scripts in bytes after gzip at its highest level. */
interface PageLoad {
  /** Scripts that were requested before the first paint. */
  readonly firstBytes: number
  readonly scriptBytes: number
  readonly mainThreadMs: number
  readonly lcpMs: number
  /** The longest of a few clicks, from the press to the next frame. */
  readonly clickMs: number
  /** The longest uninterrupted run of a script that was requested after the first paint: only telemetry is. */
  readonly ownTaskMs: number
  readonly posts: number
  readonly postedBytes: number
}

type Measure = keyof PageLoad

interface WebFigures extends Measured {
  readonly loads: Readonly<Record<Variant, readonly PageLoad[]>>
}

const FLAGS = {
  quick: toggle('fewer page loads'),
  rounds: count('page loads with and without telemetry, in turns', 15, 3, 3),
}

/** `npm run bench:web`. */
export const { run, parse } = benchCommand({
  name: 'web',
  about: `Builds a page of a shop twice, with the telemetry of pages and without, and loads both in turns in Chromium, whose CPU is
made ${SLOWED} times slower. Prints the bytes of scripts, the time of the main thread, the largest paint, the answer to clicks, and what
the page sends: medians, with the quarter and three-quarter values, and their differences. Takes about four minutes.`,
  flags: FLAGS,
  measure,
  print: ({ loads }) => {
    console.log(`\n${describe(loads)}\n\n${goalTable(goalsOf(loads))}`)
  },
})

async function measure(flags: Values<typeof FLAGS>, { own }: Folders): Promise<WebFigures> {
  const root = process.cwd()
  const browser = await launchBrowser()
  const loads: Record<Variant, PageLoad[]> = { without: [], with: [] }
  const servers: ServedApp[] = []
  try {
    for (const variant of VARIANTS) servers.push(await serveApp(root, join(own, variant), variant))
    const [without, other] = servers as [ServedApp, ServedApp]
    // The first load fills the caches of the server.
    for (const { url } of [without, other]) await loadPage(browser, url)
    for (let round = 0; round < flags.rounds; round += 1) {
      loads.without.push(await loadPage(browser, without.url))
      loads.with.push(await loadPage(browser, other.url))
    }
  } finally {
    for (const server of servers) server.stop()
    await browser.close()
  }
  const silent = loads.with.filter(({ posts }) => posts === 0).length
  const wrong = [
    ...(silent > 0 ? [`${silent} page loads with telemetry sent nothing`] : []),
    ...(loads.without.some(({ posts }) => posts > 0) ? ['a page without telemetry sent something'] : []),
  ]
  return { loads, wrong }
}

interface ServedApp {
  readonly url: string
  readonly stop: () => void
}

/** Builds the page in its own folder inside this clone, where Next finds its packages, and serves it. */
async function serveApp(root: string, folder: string, variant: Variant): Promise<ServedApp> {
  cpSync(join(root, 'tests/fixtures/web-app'), folder, { recursive: true })
  if (variant === 'with') {
    const sdk = relative(folder, join(root, 'lib/sdk/browser'))
    writeFileSync(
      join(folder, 'instrumentation-client.ts'),
      `import { startBrowser } from '${sdk}'\nstartBrowser(window, window.fetch.bind(window))\nexport { onRouterTransitionStart } from '${sdk}'\n`,
    )
  }
  const next = join(root, 'node_modules/next/dist/bin/next')
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: 'production' as const,
    NEXT_TELEMETRY_DISABLED: '1',
  }
  console.log(`building the page ${variant} telemetry …`)
  const built = spawnSync(process.execPath, [next, 'build'], { cwd: folder, env, encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`next build failed: ${built.stdout}${built.stderr}`)
  const port = await anyFreePort([HOST])
  const child = spawn(process.execPath, [next, 'start', '-H', HOST, '-p', String(port)], {
    cwd: folder,
    env,
    stdio: 'ignore',
  })
  while (!(await isAnswered(port, HOST))) {
    if (child.exitCode !== null) throw new Error('next start ended')
    await sleep(100)
  }
  return { url: `http://${HOST}:${port}/`, stop: () => child.kill() }
}

/** Loads the page in a new profile, clicks, and leaves it. */
async function loadPage(browser: Browser, url: string): Promise<PageLoad> {
  const context = await browser.newContext()
  const page = await context.newPage()
  let [posts, postedBytes] = [0, 0]
  page.on('request', (request) => {
    if (request.method() !== 'POST') return
    posts += 1
    postedBytes += request.postDataBuffer()?.length ?? 0
  })
  await page.addInitScript(observe)
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'timeTicks' })
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
  await page.goto(url)
  await sleep(SETTLE_MS)
  const { metrics } = await session.send('Performance.getMetrics')
  const mainThreadMs = 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  for (let click = 0; click < CLICKS; click += 1) {
    await page.getByRole('button').click()
    await sleep(200)
  }
  const seen = await readPage(page)
  await page.goto('about:blank')
  await context.close()
  const scripts = await Promise.all(
    seen.scripts.map(async ({ name, at }) => ({ name, at, bytes: await gzipBytes(name) })),
  )
  const first = scripts.filter(({ at }) => at < seen.firstPaintMs)
  const late = new Set(scripts.filter((script) => !first.includes(script)).map(({ name }) => name))
  return {
    firstBytes: sum(first.map(({ bytes }) => bytes)),
    scriptBytes: sum(scripts.map(({ bytes }) => bytes)),
    mainThreadMs,
    lcpMs: seen.lcpMs,
    clickMs: seen.clickMs,
    ownTaskMs: Math.max(0, ...seen.runs.filter(({ script }) => late.has(script)).map(({ ms }) => ms)),
    posts,
    postedBytes,
  }
}

const sizes = new Map<string, Promise<number>>()

/** Next compresses less than a server of static files would, so the script is compressed here. */
function gzipBytes(url: string): Promise<number> {
  const known = sizes.get(url)
  if (known !== undefined) return known
  const size = fetch(url).then(async (answer) => gzipSync(await answer.arrayBuffer(), { level: 9 }).length)
  sizes.set(url, size)
  return size
}

interface SeenByPage {
  readonly firstPaintMs: number
  readonly lcpMs: number
  readonly clickMs: number
  readonly scripts: readonly { readonly name: string; readonly at: number }[]
  /** Runs of scripts in frames of over 50 ms, which the browser reports by script. */
  readonly runs: readonly { readonly script: string; readonly ms: number }[]
}

interface BenchWindow extends Window {
  benchEntries?: PerformanceEntry[]
}

/** Runs in the page, before its own scripts: keeps the entries that the browser does not keep itself. */
function observe(): void {
  const kept: PerformanceEntry[] = []
  ;(window as BenchWindow).benchEntries = kept
  const observer = new PerformanceObserver((list) => kept.push(...list.getEntries()))
  for (const type of ['largest-contentful-paint', 'long-animation-frame']) observer.observe({ type, buffered: true })
  observer.observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
}

const readPage = (page: Page): Promise<SeenByPage> =>
  page.evaluate(() => {
    const kept = (window as BenchWindow).benchEntries ?? []
    const scripts = (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
      .map(({ name, startTime }) => ({ name, at: startTime }))
    const ofType = (type: string): PerformanceEntry[] => kept.filter(({ entryType }) => entryType === type)
    type Frame = PerformanceEntry & {
      readonly scripts?: readonly { readonly sourceURL: string; readonly duration: number }[]
    }
    return {
      firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      lcpMs: Math.max(0, ...ofType('largest-contentful-paint').map(({ startTime }) => startTime)),
      clickMs: Math.max(
        0,
        ...ofType('event')
          .filter(({ name }) => name === 'click')
          .map(({ duration }) => duration),
      ),
      scripts,
      runs: ofType('long-animation-frame').flatMap((frame) =>
        ((frame as Frame).scripts ?? []).map(({ sourceURL, duration }) => ({ script: sourceURL, ms: duration })),
      ),
    }
  })

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const ROWS: readonly (readonly [Measure, string, (value: number) => string])[] = [
  ['firstBytes', 'scripts before the first paint, KB', (value) => (value / 1000).toFixed(1)],
  ['scriptBytes', 'all scripts, KB', (value) => (value / 1000).toFixed(1)],
  ['mainThreadMs', `main thread in ${SETTLE_MS / 1000} s, ms`, (value) => value.toFixed(0)],
  ['lcpMs', 'largest paint, ms', (value) => value.toFixed(0)],
  ['clickMs', 'slowest click, ms', (value) => value.toFixed(0)],
  ['ownTaskMs', 'longest run of its scripts, ms', (value) => value.toFixed(0)],
  ['posts', 'requests sent', (value) => value.toFixed(0)],
  ['postedBytes', 'bytes sent', (value) => value.toFixed(0)],
]

type Loads = WebFigures['loads']

/** The difference of each round, because both loads of a round had the same machine. */
const differences = (loads: Loads, name: Measure): readonly number[] =>
  loads.with.map((load, round) => load[name] - (loads.without[round]?.[name] ?? Number.NaN))

function describe(loads: Loads): string {
  const range = (values: readonly number[], text: (value: number) => string): string =>
    `${text(median(values))} (${text(percentile(values, 0.25))} to ${text(percentile(values, 0.75))})`
  const rows = ROWS.map(([name, title, text]) => [
    title,
    ...VARIANTS.map((variant) =>
      range(
        loads[variant].map((load) => load[name]),
        text,
      ),
    ),
    range(differences(loads, name), text),
  ])
  return textTable(['', 'without', 'with', 'difference'], rows)
}

const goalsOf = (loads: Loads): readonly Goal[] => [
  goalBelow('scripts before the first paint', GOAL_FIRST_KB, 'KB', median(differences(loads, 'firstBytes')) / 1000),
  goalBelow('all scripts', GOAL_ALL_KB, 'KB', median(differences(loads, 'scriptBytes')) / 1000),
  goalBelow('longest run of its scripts', GOAL_TASK_MS, 'ms', median(loads.with.map((load) => load.ownTaskMs))),
]
