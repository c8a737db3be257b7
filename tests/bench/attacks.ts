import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { neutralEnvironment } from '../../collector/launch/build/build.js'
import { stopInOrder } from '../../collector/launch/child-process'
import { anyFreePort } from '../../collector/launch/ports'
import { startApp } from '../../collector/launch/start-app'
import { sleep } from '../../lib/time'
import { ATTACKS, type Attack } from './attack-list'
import { benchCommand, count, type Folders, type Measured, text, toggle, type Values } from './bench-command'
import { startBenched } from './processes'
import { type Goal, goalBelow, goalTable, mb, textTable } from './report'
import { emptyFolder, peakResidentBytes, resetPeak } from './resources'

/** An honest sender posts this often. */
const POST_EVERY_MS = 50
/** Records whose reading takes long. */
const FILLED_RECORDS = 30
const FILLED_BYTES = 200_000
const MOST_BOARD_MS = 30_000
const APP_STOPS_WITHIN_MS = 8000

interface Found {
  readonly attack: string
  /** Honest posts that were answered 200, per 5 s. */
  readonly byDsn: number
  readonly byTunnel: number
  readonly collectorPeakBytes: number
  readonly appPeakBytes: number
  /** From the end of the attack until a board's query was answered. */
  readonly boardMs: number
  readonly stopCode: number | null
}

interface AttackFigures extends Measured {
  readonly found: readonly Found[]
}

const FLAGS = {
  quick: toggle('each attack for 3 seconds'),
  seconds: count('seconds of each attack', 10, 3, 3),
  only: text('only attacks with this text in their name, next to the control'),
}

/** `npm run bench:attacks`. */
export const { run } = benchCommand({
  name: 'attacks',
  about: `Starts app and collector for each attack on loopback: senders that stall, bodies that decode to much, unbounded bodies, abandoned
reads, a body that is slow to scrub. Prints how many honest posts were accepted meanwhile, next to a run without an attack, the
peak memory of both, and the time until a board's query is answered afterwards. Takes about four minutes.`,
  flags: FLAGS,
  measure,
  print,
})

async function measure({ seconds, only }: Values<typeof FLAGS>, { own }: Folders): Promise<AttackFigures> {
  const found: Found[] = []
  const chosen = ATTACKS.filter(({ name }, index) => index === 0 || name.includes(only))
  for (const attack of chosen) {
    const one = await measureAttack(attack, seconds, own)
    console.log(`${attack.name}: ${one.byDsn.toFixed(0)} by DSN, ${one.byTunnel.toFixed(0)} by the tunnel`)
    found.push(one)
  }
  const wrong = found
    .filter(({ stopCode }) => stopCode !== 0)
    .map(({ attack }) => `the collector did not stop by itself after: ${attack}`)
  return { found, wrong }
}

async function measureAttack(attack: Attack, seconds: number, own: string): Promise<Found> {
  const station = await start(attack.env, emptyFolder(join(own, 'data')))
  try {
    const { collectorUrl, appUrl } = station
    await fill(collectorUrl)
    const ending = new AbortController()
    for (const pid of [station.collectorPid, station.appPid]) resetPeak(pid)
    const senders = [
      startSender(`${collectorUrl}/api/1/envelope/`, ending.signal),
      startSender(`${appUrl}/tunnel`, ending.signal),
    ] as const
    const attacker = await startAttacker(attack.name, collectorUrl, appUrl)
    for (const sender of senders) sender.reset()
    await sleep(seconds * 1000)
    const [byDsn, byTunnel] = senders.map((sender) => (sender.accepted() * 5) / seconds)
    ending.abort()
    await attacker.end()
    const boardMs = await timeBoard(collectorUrl, attack.env.WAYSTATION_TOKEN)
    return {
      attack: attack.name,
      byDsn: byDsn ?? 0,
      byTunnel: byTunnel ?? 0,
      collectorPeakBytes: peakResidentBytes(station.collectorPid),
      appPeakBytes: peakResidentBytes(station.appPid),
      boardMs,
      stopCode: await station.stop(),
    }
  } finally {
    await station.stop()
  }
}

async function startAttacker(
  name: string,
  collectorUrl: string,
  appUrl: string,
): Promise<{ readonly end: () => Promise<void> }> {
  const attacker = new Worker(new URL('./attack-thread.js', import.meta.url), {
    workerData: { name, collectorUrl, appUrl },
  })
  const ended = once(attacker, 'exit')
  await once(attacker, 'message')
  return {
    end: async () => {
      attacker.postMessage('end')
      await ended
    },
  }
}

/** An envelope of 4 KB, as a page sends it. */
function envelope(): string {
  const id = crypto.randomUUID().replaceAll('-', '')
  const event = { event_id: id, message: 'honest', extra: { text: 'x'.repeat(4000) } }
  return `{"event_id":"${id}","dsn":"http://local@127.0.0.1/1"}\n{"type":"event"}\n${JSON.stringify(event)}`
}

/** Posts an envelope every 50 ms, also while earlier ones wait for their answer. */
function startSender(
  url: string,
  signal: AbortSignal,
): { readonly reset: () => void; readonly accepted: () => number } {
  let accepted = 0
  const post = async (): Promise<void> => {
    const answer = await fetch(url, { method: 'POST', body: envelope(), signal: AbortSignal.timeout(5000) })
    await answer.arrayBuffer()
    if (answer.status === 200) accepted += 1
  }
  const timer = setInterval(() => {
    // A post that fails is one that the count lacks.
    post().catch(() => undefined)
  }, POST_EVERY_MS)
  signal.addEventListener('abort', () => clearInterval(timer))
  return {
    reset: () => {
      accepted = 0
    },
    accepted: () => accepted,
  }
}

async function fill(collectorUrl: string): Promise<void> {
  const item = `\n{"type":"attachment"}\n${'0123456789'.repeat(FILLED_BYTES / 10)}`
  for (let count = 0; count < FILLED_RECORDS; count += 1) {
    const answer = await fetch(`${collectorUrl}/api/1/envelope/`, { method: 'POST', body: envelope() + item })
    if (answer.status !== 200) throw new Error(`the collector answered ${answer.status} to a record of the store`)
  }
}

async function timeBoard(collectorUrl: string, token: string | undefined): Promise<number> {
  const began = performance.now()
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  while (performance.now() - began < MOST_BOARD_MS) {
    try {
      const answer = await fetch(`${collectorUrl}/query/traces`, {
        headers,
        signal: AbortSignal.timeout(MOST_BOARD_MS),
      })
      await answer.arrayBuffer()
      if (answer.status === 200) break
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
    await sleep(20)
  }
  return performance.now() - began
}

interface Station {
  readonly collectorUrl: string
  readonly appUrl: string
  readonly collectorPid: number
  readonly appPid: number
  /** @returns the exit code of the collector; null when it had to be killed */
  readonly stop: () => Promise<number | null>
}

/** App and collector from the build, as `npm start` starts them, on loopback. */
async function start(given: Readonly<Record<string, string>>, folder: string): Promise<Station> {
  const build = process.env.WAYSTATION_BUILD ?? ''
  const appPort = await anyFreePort(['127.0.0.1'])
  const appUrl = `http://localhost:${appPort}`
  const collector = await startBenched({ folder, upstream: null, env: given, appUrl })
  const app = startApp({
    root: process.cwd(),
    dist: join(build, 'next'),
    tsconfig: join(build, 'tsconfig.json'),
    isDev: false,
    env: { ...neutralEnvironment(process.env, 'production'), ...given },
    port: appPort,
    host: '127.0.0.1',
    appUrl,
    collectorUrl: collector.url,
    dataFolder: folder,
    onLine: () => undefined,
  })
  const ready = await app.ready
  if (!ready.ok) throw new Error(`cannot start the app: ${ready.error.message}`)
  return {
    collectorUrl: collector.url,
    appUrl,
    collectorPid: collector.pid,
    appPid: app.child.pid,
    stop: async () => {
      await stopInOrder([{ ...app, withinMs: APP_STOPS_WITHIN_MS }], new AbortController().signal)
      return collector.stop()
    },
  }
}

function print({ found }: AttackFigures): void {
  const rows = found.map((one) => [
    one.attack,
    one.byDsn.toFixed(0),
    one.byTunnel.toFixed(0),
    mb(one.collectorPeakBytes),
    mb(one.appPeakBytes),
    (one.boardMs / 1000).toFixed(2),
    String(one.stopCode),
  ])
  const head = ['attack', 'by DSN', 'by tunnel', 'collector MB', 'app MB', 'board s', 'exit']
  console.log(`\nHonest posts per 5 s, peak memory, and the time after the attack until a board's query is answered:\n`)
  console.log(`${textTable(head, rows)}\n`)
  const [control, ...attacks] = found
  if (control === undefined || attacks.length === 0) return
  const least = (count: (one: Found) => number): number =>
    Math.min(...attacks.map((one) => count(one) / count(control)))
  const most = (value: (one: Found) => number): number => Math.max(...attacks.map(value))
  const share = (what: string, ratio: number): Goal => ({
    what,
    target: 'at least 0.5 of the control',
    found: ratio.toFixed(2),
    met: ratio >= 0.5,
  })
  console.log(
    goalTable([
      share(
        'honest posts by DSN, under the worst attack',
        least(({ byDsn }) => byDsn),
      ),
      share(
        'honest posts by the tunnel',
        least(({ byTunnel }) => byTunnel),
      ),
      goalBelow('memory of the collector', 400, 'MB', most(({ collectorPeakBytes }) => collectorPeakBytes) / 1e6),
      goalBelow('memory of the app', 500, 'MB', most(({ appPeakBytes }) => appPeakBytes) / 1e6),
      goalBelow(
        'a board answers after an attack',
        3000,
        'ms',
        most(({ boardMs }) => boardMs),
      ),
    ]),
  )
}
