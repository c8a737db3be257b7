import type { Measured } from './bench-command'
import { percentile } from './figures'
import type { KeptStore } from './kept-store'
import type { Sent } from './messages'
import type { Asked } from './query'
import { type Goal, goalBelow, goalTable, mb, ms, textTable, whole } from './text-table'

export interface QueryFigures extends Measured {
  readonly store: KeptStore
  readonly readyMs: number
  readonly rate: number
  readonly asked: readonly Asked[]
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

/** Prints what was measured, and how it compares with what is wanted. */
export function printQuery(figures: QueryFigures): void {
  const { asked, intake, rate, residentPeakBytes } = figures
  console.log(`\n${textTable(HEAD, asked.map(rowOf))}`)
  for (const [refusal, whats] of refusalsOf(asked)) console.log(`REFUSED: ${whats.join(', ')}: ${refusal}`)
  for (const { ask, filled } of asked) {
    if (filled !== null && filled.requests > 1)
      console.log(
        `${ask.what}: its page ends early; ${filled.rows} rows took ${filled.requests} requests and ${ms(filled.ms)} ms`,
      )
  }
  const strange = Object.entries(intake.answers).filter(([what]) => what !== '200')
  console.log(
    `\nMeanwhile ${whole(intake.whole.answered)} envelopes arrived, ${rate} a second: p50 ${ms(intake.whole.p50)} ms, p99 ${ms(intake.whole.p99)} ms, longest ${ms(intake.whole.longest)} ms${strange.map(([what, times]) => `, ${times} × ${what}`).join('')}. Resident memory was ${mb(residentPeakBytes)} MB at most.`,
  )
  console.log(`\n${goalTable(goalsOf(figures))}`)
}

function rowOf(asked: Asked): readonly string[] {
  const { ask, times, wholeMs, firstByteMs, bytes, refusal, filled } = asked
  const isMet = ask.wantedMs === null ? null : wantedOf(asked) < ask.wantedMs
  return [
    ask.what,
    String(times),
    ...[0, 0.5, 0.95, 0.99, 1].map((part) => ms(percentile(wholeMs, part))),
    ms(percentile(firstByteMs, 0.95)),
    whole(bytes / 1000),
    filled === null ? '' : String(filled.rows),
    ask.wantedMs === null ? '' : `${ask.wantedMs} ms`,
    refusal !== null ? 'REFUSED' : isMet === null ? '' : isMet ? 'met' : 'NOT MET',
  ]
}

/** What was asked in vain, by the answer that it had. */
function refusalsOf(asked: readonly Asked[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { ask, refusal } of asked) {
    if (refusal !== null) found.set(refusal, [...(found.get(refusal) ?? []), ask.what])
  }
  return found
}

function goalsOf({ asked, intake, readyMs, store }: QueryFigures): readonly Goal[] {
  const gigabytes = (store.recordBytes + store.rowBytes) / 1e9
  return [
    worst(
      'worst p95 of a page of traces',
      asked.filter(({ ask }) => ask.what.startsWith('traces')),
    ),
    worst(
      'p95 of a trace of 1,000 spans',
      asked.filter(({ ask }) => ask.what.startsWith('trace, 1,000')),
    ),
    worst(
      'p95 of the first byte of 100,000 spans',
      asked.filter(({ ask }) => ask.ofFirstByte === true),
    ),
    goalBelow("p99 of intake's answers meanwhile", 50, 'ms', intake.whole.p99),
    goalBelow(`start to ready, ${gigabytes.toFixed(2)} GB stored`, 1500, 'ms', readyMs),
  ]
}

function worst(what: string, asked: readonly Asked[]): Goal {
  const limit = asked[0]?.ask.wantedMs ?? 0
  const refused = asked.filter(({ refusal }) => refusal !== null).length
  const goal = goalBelow(what, limit, 'ms', asked.length === 0 ? null : Math.max(...asked.map(wantedOf)))
  return refused === 0 ? goal : { ...goal, found: `${refused} refused`, met: false }
}

/** The p95 of what is wanted of a question. */
const wantedOf = ({ ask: { ofFirstByte }, firstByteMs, wholeMs }: Asked): number =>
  percentile(ofFirstByte ? firstByteMs : wholeMs, 0.95)
