import { join } from 'node:path'
import { emptyFolder } from './disk'
import { cpuMicros, peakResidentBytes, residentBytes } from './figures'
import type { FloorCount, SendOrder, Sent } from './messages'
import { type HiredProcess, hire } from './process-under-bench'
import type { LoadRun } from './run-load'

const LOOK_MS = 20
/** Where nothing moves for so long, nothing will. */
const STUCK_MS = 30_000

/** The least that the work costs, as a program: see `floor-process`. */
export async function inFloor<Value>(
  given: { readonly own: string; readonly upstreamPort: number },
  work: (floor: HiredProcess, url: string) => Promise<Value>,
): Promise<Value> {
  const floor = await hire('floor-process', false)
  try {
    const file = join(emptyFolder(join(given.own, 'data')), 'floor.db')
    const { port } = (await floor.ask({ file, upstream: given.upstreamPort })) as { readonly port: number }
    return await work(floor, `http://127.0.0.1:${port}`)
  } finally {
    await floor.end()
  }
}

/** Sends to the floor, and waits until all of it is stored, parsed and relayed: its CPU is counted until then. */
export async function runFloor(sender: HiredProcess, floor: HiredProcess, order: SendOrder): Promise<LoadRun> {
  const cpuBefore = cpuMicros(floor.pid)
  const before = await countOf(floor)
  const sent = (await sender.ask(order)) as Sent
  await drained(floor, before.stored + (sent.answers['200'] ?? 0))
  return {
    sent,
    cpuMicrosPerEnvelope: (cpuMicros(floor.pid) - cpuBefore) / Math.max(1, sent.answers['200'] ?? 0),
    residentPeakBytes: peakResidentBytes(floor.pid),
    residentLastBytes: residentBytes(floor.pid),
  }
}

const countOf = async (floor: HiredProcess): Promise<FloorCount> => (await floor.ask({})) as FloorCount

async function drained(floor: HiredProcess, all: number): Promise<void> {
  let last = ''
  let movedAt = performance.now()
  for (;;) {
    const { stored, parsed, relayed } = await countOf(floor)
    if (Math.min(stored, parsed, relayed) >= all) return
    const now = `${stored} stored, ${parsed} parsed, ${relayed} relayed`
    if (now !== last) movedAt = performance.now()
    last = now
    if (performance.now() - movedAt > STUCK_MS)
      throw new Error(`nothing moved in the floor for ${STUCK_MS / 1000} s before all of ${all} was done: ${now}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
