import type { Submission } from '../../lib/verdict/evidence/evidence'
import { readEvidence } from '../../lib/verdict/evidence/read-evidence'
import { RULES } from '../../lib/verdict/rules/registry'
import type { Case } from '../../lib/verdict/rules/rule'
import type { Verdict } from '../../lib/verdict/verdict'
import { randomFrom } from '../faults/random'
import type { KitFlags } from './kit-flags'
import { type Goal, goalBelow, median, ms, textTable, whole } from './text-table'
import { PAGE_LOAD, transactionEnvelope } from './transaction-envelope'

const SPANS = 25
/** The product's own promise for so many; of fewer in proportion. */
const WANTED_MS_OF_10_000 = 2000
const WARM_UP = 500

/** Times in ms. */
export interface JudgeFigures {
  readonly traces: number
  readonly bytes: number
  readonly rounds: readonly {
    readonly readMs: number
    readonly rules: readonly { readonly id: string; readonly verdict: Verdict['verdict']; readonly tookMs: number }[]
    readonly totalMs: number
  }[]
}

/** Reads page loads as evidence and judges them by every rule, `rounds` times. */
export function measureJudging({ traces, rounds }: KitFlags): JudgeFigures {
  const submissions = pageLoads(traces)
  judgeOnce(submissions.slice(0, WARM_UP))
  return {
    traces,
    bytes: submissions.reduce((sum, { body }) => sum + body.length, 0),
    rounds: Array.from({ length: rounds }, () => judgeOnce(submissions)),
  }
}

function judgeOnce(submissions: readonly Submission[]): JudgeFigures['rounds'][number] {
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

/** A build gives each of its chunks one name, and every page load asks for it by that. */
const CHUNK = /(chunks\/[a-z-]+)-[0-9a-f]+\.js/g

/** As a collector has them: each body by itself, and all ids drawn. */
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

type Round = JudgeFigures['rounds'][number]

const judgingOf = ({ rules }: Round): number => rules.reduce((sum, { tookMs }) => sum + tookMs, 0)

/** What was found, for a person. */
export function toldJudging({ rounds, traces, bytes }: JudgeFigures): string {
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

/** What was recorded is read once, and judged as often as somebody asks. */
export const goalsOfJudging = ({ rounds, traces }: JudgeFigures): readonly Goal[] => [
  goalBelow(
    `${whole(traces)} traces judged by every rule`,
    (WANTED_MS_OF_10_000 * traces) / 10_000,
    'ms',
    median(rounds.map(judgingOf)),
  ),
]
