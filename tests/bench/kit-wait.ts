import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { stampHeaders } from '../../lib/kit/stamp-headers'
import { startCollector, type TestCollector } from '../../lib/kit/vitest/start-collector'
import { errorEnvelope } from '../flow/envelopes'
import { type Goal, goalBelow, median, ms, textTable } from './text-table'

const STARTS = 10
const WAITS = 300
/** Workers of a test run share a collector: so many recordings follow it while one is measured. */
const RECORDINGS = 8
const WANTED_WAIT_MS = 50
const WANTED_START_MS = 250

/** Times in ms. */
export interface WaitFigures {
  readonly startMs: readonly number[]
  /** From the collector's 200 to the promise that waits for it, of one recording and of the last of several. */
  readonly waits: readonly { readonly recordings: number; readonly latencyMs: readonly number[] }[]
}

/** Starts collectors as a test does, and waits in their recordings. @param own folder of the bench, whose bundle is taken */
export async function measureWaits(own: string): Promise<WaitFigures> {
  symlinkSync(join(own, 'bundle'), join(own, 'collector'))
  process.env.WAYSTATION_BUILD = own
  const startMs = await measureStarts()
  const collector = await startCollector()
  const waits = []
  for (const recordings of [1, RECORDINGS])
    waits.push({ recordings, latencyMs: await measureLatency(collector, recordings) })
  await collector.stop()
  return { startMs, waits }
}

async function measureStarts(): Promise<readonly number[]> {
  const times: number[] = []
  for (let n = 0; n < STARTS; n += 1) {
    const begin = performance.now()
    const collector = await startCollector()
    times.push(performance.now() - begin)
    await collector.stop()
  }
  return times
}

async function measureLatency(collector: TestCollector, recordings: number): Promise<readonly number[]> {
  const opened = await Promise.all(Array.from({ length: recordings }, () => collector.recording()))
  const times: number[] = []
  for (let n = 0; n < WAITS; n += 1) {
    const recording = opened[n % opened.length]
    if (recording === undefined) throw new Error('no recording was opened')
    const { body, eventId } = errorEnvelope(collector.dsn)
    const arrived = recording.waitFor.error({ eventId }).then(() => performance.now())
    const withAnswerTimeout = await postStamped(collector, body, recording.stamp)
    // It may be there before its sender has read the answer.
    times.push(Math.max(0, (await arrived) - withAnswerTimeout))
  }
  await Promise.all(opened.map((recording) => recording.close()))
  return times
}

/** @returns when the answer was there */
async function postStamped({ url, dsn }: TestCollector, body: string, stamp: string): Promise<number> {
  const answer = await fetch(`${url}/api/1/envelope/?sentry_key=${new URL(dsn).username}`, {
    method: 'POST',
    headers: stampHeaders(stamp),
    body,
  })
  const at = performance.now()
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`the collector withAnswerTimeout ${answer.status}`)
  return at
}

/** The value that so many hundredths are not above. */
function percentile(values: readonly number[], hundredths: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil((sorted.length * hundredths) / 100) - 1] ?? Number.NaN
}

/** What was found, for a person. */
export function toldWaits({ startMs, waits }: WaitFigures): string {
  const rows = waits.map(({ recordings, latencyMs }) => [
    `waits, ${recordings} ${recordings === 1 ? 'recording' : 'recordings'}`,
    String(latencyMs.length),
    ...[50, 99, 100].map((hundredths) => ms(percentile(latencyMs, hundredths))),
  ])
  const starts = [
    'starts',
    String(startMs.length),
    ...[50, 99, 100].map((hundredths) => ms(percentile(startMs, hundredths))),
  ]
  return textTable(['ms', 'count', 'p50', 'p99', 'longest'], [starts, ...rows])
}

export const goalsOfWaits = ({ startMs, waits }: WaitFigures): readonly Goal[] => [
  goalBelow('a collector of a test’s own, median', WANTED_START_MS, 'ms', median(startMs)),
  ...waits.map(({ recordings, latencyMs }) =>
    goalBelow(`200 to promise, ${recordings} of recordings open, p99`, WANTED_WAIT_MS, 'ms', percentile(latencyMs, 99)),
  ),
]
