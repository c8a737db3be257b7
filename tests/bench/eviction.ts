import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { benchCommand, count, type Folders, type Measured, rate, toggle, type Values } from './bench-command'
import type { Sent } from './messages'
import { type BenchedCollector, startBenched, waitForProgress, withProcess } from './processes'
import { textTable, whole } from './report'
import { cpuMicros, emptyFolder } from './resources'
import { openLoop } from './run-load'

/** Full after about a quarter of the usual load. */
const MAX_DISK = '32MiB'
const POLL_MS = 100

interface EvictionFigures extends Measured {
  readonly sent: Sent
  /** Records that were evicted during the load. */
  readonly evicted: number
  /** The deletion of all other records after the load, when the collector does nothing else. */
  readonly deletion: Deletion
}

interface Deletion {
  readonly records: number
  /** User and system time of all threads. */
  readonly cpuMicrosPerRecord: number
}

const FLAGS = {
  quick: toggle('a shorter load'),
  rate: rate('envelopes per second', '200'),
  seconds: count('seconds of load', 60, 30),
  hogs: count('programs that never wait', 3, 3),
}

/** `npm run bench:eviction`. */
export const { run } = benchCommand({
  name: 'eviction',
  about: `Posts envelopes of 11 KB at a fixed rate to a collector whose disk budget is full after a quarter of the time, while
programs that never wait use the processors. Counts the answers by status: each 503 is an envelope that waited too long for
eviction. Then it deletes all records and measures the CPU time. Run it as a user without root, who cannot raise a priority
again. Takes about a minute.`,
  flags: FLAGS,
  measure,
  print,
})

async function measure(flags: Values<typeof FLAGS>, { own }: Folders): Promise<EvictionFigures> {
  return withProcess('upstream-process', true, (upstream) =>
    withProcess('sender-process', false, async (sender) => {
      const folder = emptyFolder(join(own, 'data'))
      const collector = await startBenched({
        folder,
        upstream: upstream.port,
        env: { WAYSTATION_MAX_DISK: MAX_DISK },
      })
      const hogs = Array.from({ length: flags.hogs }, startHog)
      try {
        const order = openLoop(collector.url, flags.rate ?? 200, flags.seconds)
        const sent = (await sender.request(order)) as Sent
        for (const hog of hogs) hog.kill('SIGKILL')
        const { evicted } = await collector.storage()
        const wrong = evicted.records === 0 ? ['nothing was evicted: the load was too short'] : []
        return { sent, evicted: evicted.records, deletion: await deleteAll(collector), wrong }
      } finally {
        for (const hog of hogs) hog.kill('SIGKILL')
        await collector.stop()
      }
    }),
  )
}

/** Deletes all records as eviction does: batch by batch, first the rows in telemetry.db, then the records in spool.db. */
async function deleteAll(collector: BenchedCollector): Promise<Deletion> {
  await waitForProgress('every envelope is digested and relayed', POLL_MS, async () => {
    const { received, digested } = collector.progress()
    const { pending } = await collector.storage()
    const isDone = digested >= received && pending.records === 0
    return isDone ? null : `${digested} of ${received} digested, ${pending.records} pending`
  })
  const before = cpuMicros(collector.pid)
  const response = await fetch(`${collector.url}/control/clear`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ pending: false }),
  })
  const { cleared } = (await response.json()) as { readonly cleared: number }
  return { records: cleared, cpuMicrosPerRecord: (cpuMicros(collector.pid) - before) / cleared }
}

const startHog = (): ChildProcess => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })

function print({ sent, evicted, deletion }: EvictionFigures): void {
  const { answers, unsent, whole: waits } = sent
  const lines = Object.entries(answers).map(([status, count]) => [status, whole(count)])
  console.log(`\n${textTable(['answer', 'envelopes'], lines)}\n`)
  console.log(`${whole(evicted)} records evicted, ${whole(unsent)} envelopes due but not sent.`)
  console.log(
    `Answered in ${waits.p50.toFixed(1)} ms (p50), ${waits.p99.toFixed(1)} ms (p99), ${waits.longest.toFixed(0)} ms (longest).`,
  )
  const { records, cpuMicrosPerRecord } = deletion
  console.log(
    `CPU per deleted record: ${whole(cpuMicrosPerRecord)} µs, over ${whole(records)} records, after the load.`,
  )
  console.log(`Goal: 0 answers of 503; got ${whole(answers['503'] ?? 0)}.`)
}
