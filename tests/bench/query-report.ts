import type { Measured } from './bench-command'
import type { KeptStore } from './fill-folder'
import type { Sent } from './messages'
import type { Query } from './queries'
import { type Goal, goalBelow, goalTable, mb, ms, percentile, textTable, whole } from './report'

/** The answers to a query that was sent many times. */
export interface QueryResult {
  readonly query: Query
  readonly times: number
  readonly wholeMs: readonly number[]
  readonly firstByteMs: readonly number[]
  readonly bytes: number
  /** Status and text of the first answer other than 200. */
  readonly refusal: string | null
  /** The cost of the first full page, or of the end of a shorter list; null when the answer is no list. */
  readonly filled: Filled | null
}

/** A page may end early, with a cursor. Then a full page takes several requests. */
export interface Filled {
  readonly rows: number
  readonly requests: number
  readonly ms: number
}

export interface QueryFigures extends Measured {
  readonly store: KeptStore
  readonly readyMs: number
  readonly rate: number
  readonly results: readonly QueryResult[]
  readonly intake: Sent
  readonly residentPeakBytes: number
}

const HEAD = [
  '',
  'asks',
  'fastest',
  'p50 ms',
  'p95 ms',
  'p99 ms',
  'longest',
  'first byte p95',
  'KB',
  'rows',
  'wanted',
  '',
]

/** Prints the figures, and compares them with the goals. */
export function printQuery(figures: QueryFigures): void {
  const { results, intake, rate, residentPeakBytes } = figures
  console.log(`\n${textTable(HEAD, results.map(rowOf))}`)
  for (const [refusal, whats] of refusalsOf(results)) console.log(`REFUSED: ${whats.join(', ')}: ${refusal}`)
  for (const { query, filled } of results) {
    if (filled !== null && filled.requests > 1)
      console.log(
        `${query.what}: its page ends early; ${filled.rows} rows took ${filled.requests} requests and ${ms(filled.ms)} ms`,
      )
  }
  const strange = Object.entries(intake.answers).filter(([what]) => what !== '200')
  console.log(
    `\nMeanwhile ${whole(intake.whole.answered)} envelopes arrived, ${rate} a second: p50 ${ms(intake.whole.p50)} ms, p99 ${ms(intake.whole.p99)} ms, longest ${ms(intake.whole.longest)} ms${strange.map(([what, times]) => `, ${times} × ${what}`).join('')}. Resident memory was ${mb(residentPeakBytes)} MB at most.`,
  )
  console.log(`\n${goalTable(goalsOf(figures))}`)
}

function rowOf(result: QueryResult): readonly string[] {
  const { query, times, wholeMs, firstByteMs, bytes, refusal, filled } = result
  const isMet = query.goalMs === null ? null : p95Of(result) < query.goalMs
  return [
    query.what,
    String(times),
    ...[0, 0.5, 0.95, 0.99, 1].map((part) => ms(percentile(wholeMs, part))),
    ms(percentile(firstByteMs, 0.95)),
    whole(bytes / 1000),
    filled === null ? '' : String(filled.rows),
    query.goalMs === null ? '' : `${query.goalMs} ms`,
    refusal !== null ? 'REFUSED' : isMet === null ? '' : isMet ? 'met' : 'NOT MET',
  ]
}

/** Refused queries by answer. */
function refusalsOf(results: readonly QueryResult[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { query, refusal } of results) {
    if (refusal !== null) found.set(refusal, [...(found.get(refusal) ?? []), query.what])
  }
  return found
}

function goalsOf({ results, intake, readyMs, store }: QueryFigures): readonly Goal[] {
  const gigabytes = (store.recordBytes + store.rowBytes) / 1e9
  return [
    worst(
      'worst p95 of a page of traces',
      results.filter(({ query }) => query.what.startsWith('traces')),
    ),
    worst(
      'p95 of a trace of 1,000 spans',
      results.filter(({ query }) => query.what.startsWith('trace, 1,000')),
    ),
    worst(
      'p95 of the first byte of 100,000 spans',
      results.filter(({ query }) => query.ofFirstByte === true),
    ),
    goalBelow("p99 of intake's answers meanwhile", 50, 'ms', intake.whole.p99),
    goalBelow(`start to ready, ${gigabytes.toFixed(2)} GB stored`, 1500, 'ms', readyMs),
  ]
}

function worst(what: string, results: readonly QueryResult[]): Goal {
  const limit = results[0]?.query.goalMs ?? 0
  const refused = results.filter(({ refusal }) => refusal !== null).length
  const goal = goalBelow(what, limit, 'ms', results.length === 0 ? null : Math.max(...results.map(p95Of)))
  return refused === 0 ? goal : { ...goal, found: `${refused} refused`, met: false }
}

/** The p95 that the goal of the query limits. */
const p95Of = ({ query: { ofFirstByte }, firstByteMs, wholeMs }: QueryResult): number =>
  percentile(ofFirstByte ? firstByteMs : wholeMs, 0.95)
