import { RULES } from '../../lib/contract/rules/registry'
import type { Case } from '../../lib/contract/rules/rule'
import type { Verdict } from '../../lib/contract/verdict'
import type { Submission } from '../../lib/evidence/evidence'
import { readEvidence } from '../../lib/evidence/read-evidence'
import { drawFrom } from '../faults/draw'
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

/** As a collector has them: each body by itself, and all ids drawn. */
function pageLoads(count: number): readonly Submission[] {
  const draw = drawFrom(1)
  return Array.from({ length: count }, (_, index) => {
    const start = PAGE_LOAD.start + index / 10
    const { text } = transactionEnvelope(draw, { ...PAGE_LOAD, spans: SPANS, start })
    return {
      seq: index + 1,
      journal: index + 1,
      receivedAt: Math.round((start + 6) * 1000),
      door: 'tunnel',
      project: '1',
      publicKey: 'bench',
      stamp: null,
      page: null,
      userAgent: null,
      origin: null,
      body: new TextEncoder().encode(text),
    }
  })
}

/** What was found, for a person. */
export function toldJudging({ rounds, traces, bytes }: JudgeFigures): string {
  const of = (value: (round: JudgeFigures['rounds'][number]) => number): number => median(rounds.map(value))
  const [first] = rounds
  const lines = (first?.rules ?? []).map(({ id, verdict }) => [
    id,
    ms(of(({ rules }) => rules.find((rule) => rule.id === id)?.tookMs ?? Number.NaN)),
    verdict,
  ])
  const table = textTable(
    ['judging', 'ms', 'verdict'],
    [['reading', ms(of(({ readMs }) => readMs)), ''], ...lines, ['altogether', ms(of(({ totalMs }) => totalMs)), '']],
  )
  return `${whole(traces)} traces of ${SPANS} spans, ${(bytes / 1e6).toFixed(0)} MB\n\n${table}`
}

export const goalsOfJudging = ({ rounds, traces }: JudgeFigures): readonly Goal[] => [
  goalBelow(
    `${whole(traces)} traces read and judged`,
    (WANTED_MS_OF_10_000 * traces) / 10_000,
    'ms',
    median(rounds.map(({ totalMs }) => totalMs)),
  ),
]
