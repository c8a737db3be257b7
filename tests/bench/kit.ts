import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { stampHeaders } from '../../lib/kit/stamp-headers'
import { startCollector, type TestCollector } from '../../lib/kit/vitest/start-collector'
import type { Submission } from '../../lib/verdict/evidence/evidence'
import { readEvidence } from '../../lib/verdict/evidence/read-evidence'
import { RULES } from '../../lib/verdict/rules/registry'
import type { Case } from '../../lib/verdict/rules/rule'
import type { Verdict } from '../../lib/verdict/verdict'
import { randomFrom } from '../faults/random'
import { errorEnvelope } from '../flow/envelopes'
import { benchCommand } from './bench-command'
import { KIT, type KitFlags, type KitPart } from './flags'
import { type Goal, goalBelow, goalTable, median, ms, textTable, whole } from './report'
import { PAGE_LOAD, transactionEnvelope } from './transaction-envelope'

const STARTS = 10
const WAITS = 300
/** Workers of a test run share a collector, so the measurement also runs with several open recordings. */
const RECORDINGS = 8
const GOAL_WAIT_MS = 50
const GOAL_START_MS = 250
const SPANS = 25
/** The goal for 10,000 traces; proportionally less for fewer. */
const GOAL_MS_FOR_10_000 = 2000
const WARM_UP = 500
/** Page loads of one build request the same chunk names. */
const CHUNK = /(chunks\/[a-z-]+)-[0-9a-f]+\.js/g

/** The figures of a part: for the JSON file, as a table, and as goals. */
interface PartResult {
  readonly figures: unknown
  readonly table: string
  readonly goals: readonly Goal[]
}

/** @param own a folder of this run */
type MeasurePart = (flags: KitFlags, own: string) => Promise<PartResult>

/** Times in ms. */
interface WaitFigures {
  readonly startMs: readonly number[]
  /** From the answer 200 of the collector until the wait resolves, with one and with several open recordings. */
  readonly waits: readonly { readonly recordings: number; readonly latencyMs: readonly number[] }[]
}

/** Times in ms. */
interface JudgeFigures {
  readonly traces: number
  readonly bytes: number
  readonly rounds: readonly {
    readonly readMs: number
    readonly rules: readonly { readonly id: string; readonly verdict: Verdict['verdict']; readonly tookMs: number }[]
    readonly totalMs: number
  }[]
}

type Round = JudgeFigures['rounds'][number]

const PARTS: Readonly<Record<KitPart, MeasurePart>> = {
  wait: async (_flags, own) => {
    const figures = await measureWaits(own)
    return { figures, table: describeWaits(figures), goals: goalsOfWaits(figures) }
  },
  judge: async (flags) => {
    const figures = measureJudging(flags)
    return { figures, table: describeJudging(figures), goals: goalsOfJudging(figures) }
  },
}

/** `npm run bench:kit`. */
export const run = benchCommand({
  line: KIT,
  measure: async (flags, { own }) => {
    const figures: Partial<Record<KitPart, unknown>> = {}
    const goals: Goal[] = []
    for (const part of flags.parts) {
      const measured = await PARTS[part](flags, own)
      console.log(`\n${measured.table}`)
      figures[part] = measured.figures
      goals.push(...measured.goals)
    }
    return { figures, goals, wrong: [] }
  },
  print: ({ goals }) => console.log(`\n${goalTable(goals)}`),
  toJson: (figures) => ({
    ...figures,
    goals: figures.goals.map(({ what, target, found, met }) => ({ what, wanted: target, found, met })),
  }),
})

/** Starts collectors as a test does, and waits in their recordings. @param own folder that contains the bundle */
async function measureWaits(own: string): Promise<WaitFigures> {
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
    const answeredAt = await postStamped(collector, body, recording.stamp)
    // The item may arrive before the sender has read the answer.
    times.push(Math.max(0, (await arrived) - answeredAt))
  }
  await Promise.all(opened.map((recording) => recording.close()))
  return times
}

/** @returns the time of the answer */
async function postStamped({ url, dsn }: TestCollector, body: string, stamp: string): Promise<number> {
  const answer = await fetch(`${url}/api/1/envelope/?sentry_key=${new URL(dsn).username}`, {
    method: 'POST',
    headers: stampHeaders(stamp),
    body,
  })
  const at = performance.now()
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`the collector answered ${answer.status}`)
  return at
}

/** By nearest rank. */
function percentileByRank(values: readonly number[], hundredths: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil((sorted.length * hundredths) / 100) - 1] ?? Number.NaN
}

function describeWaits({ startMs, waits }: WaitFigures): string {
  const rows = waits.map(({ recordings, latencyMs }) => [
    `waits, ${recordings} ${recordings === 1 ? 'recording' : 'recordings'}`,
    String(latencyMs.length),
    ...[50, 99, 100].map((hundredths) => ms(percentileByRank(latencyMs, hundredths))),
  ])
  const starts = [
    'starts',
    String(startMs.length),
    ...[50, 99, 100].map((hundredths) => ms(percentileByRank(startMs, hundredths))),
  ]
  return textTable(['ms', 'count', 'p50', 'p99', 'longest'], [starts, ...rows])
}

const goalsOfWaits = ({ startMs, waits }: WaitFigures): readonly Goal[] => [
  goalBelow('a collector of a test’s own, median', GOAL_START_MS, 'ms', median(startMs)),
  ...waits.map(({ recordings, latencyMs }) =>
    goalBelow(
      `200 to promise, ${recordings} of recordings open, p99`,
      GOAL_WAIT_MS,
      'ms',
      percentileByRank(latencyMs, 99),
    ),
  ),
]

/** Reads page loads as evidence and judges them by every rule, `rounds` times. */
function measureJudging({ traces, rounds }: KitFlags): JudgeFigures {
  const submissions = pageLoads(traces)
  judgeOnce(submissions.slice(0, WARM_UP))
  return {
    traces,
    bytes: submissions.reduce((sum, { body }) => sum + body.length, 0),
    rounds: Array.from({ length: rounds }, () => judgeOnce(submissions)),
  }
}

function judgeOnce(submissions: readonly Submission[]): Round {
  const begin = performance.now()
  const evidence = readEvidence(submissions)
  const readMs = performance.now() - begin
  const given: Case = { evidence, requests: null, fallbacks: null, limits: null, collectorUrl: null }
  const rules = RULES.map(({ id, judge }) => {
    const before = performance.now()
    const { verdict } = judge(given)
    return { id, verdict, tookMs: performance.now() - before }
  })
  return { readMs, rules, totalMs: performance.now() - begin }
}

/** Submissions as a collector stores them, with distinct bodies and ids. */
function pageLoads(count: number): readonly Submission[] {
  const draw = randomFrom(1)
  return Array.from({ length: count }, (_, index) => {
    const start = PAGE_LOAD.start + index / 10
    const { text } = transactionEnvelope(draw, { ...PAGE_LOAD, spans: SPANS, start })
    return {
      seq: index + 1,
      journal: index + 1,
      receivedAt: Math.round((start + 6) * 1000),
      endpoint: 'tunnel',
      project: '1',
      publicKey: 'bench',
      stamp: null,
      page: null,
      userAgent: null,
      origin: null,
      body: new TextEncoder().encode(text.replaceAll(CHUNK, '$1-4e1d.js')),
    }
  })
}

const judgingOf = ({ rules }: Round): number => rules.reduce((sum, { tookMs }) => sum + tookMs, 0)

function describeJudging({ rounds, traces, bytes }: JudgeFigures): string {
  const of = (value: (round: Round) => number): string => ms(median(rounds.map(value)))
  const ruleMs = (id: string) => (round: Round) => round.rules.find((rule) => rule.id === id)?.tookMs ?? Number.NaN
  const lines = (rounds[0]?.rules ?? []).map(({ id, verdict }) => [id, of(ruleMs(id)), verdict])
  const table = textTable(
    ['', 'ms', 'verdict'],
    [
      ['reading as evidence', of(({ readMs }) => readMs), ''],
      ...lines,
      ['judging, all rules', of(judgingOf), ''],
      ['altogether', of(({ totalMs }) => totalMs), ''],
    ],
  )
  return `${whole(traces)} traces of ${SPANS} spans, ${(bytes / 1e6).toFixed(0)} MB\n\n${table}`
}

/** Without reading: a recording is read once, and can be judged many times. */
const goalsOfJudging = ({ rounds, traces }: JudgeFigures): readonly Goal[] => [
  goalBelow(
    `${whole(traces)} traces judged by every rule`,
    (GOAL_MS_FOR_10_000 * traces) / 10_000,
    'ms',
    median(rounds.map(judgingOf)),
  ),
]
