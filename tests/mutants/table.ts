import { textTable } from '../bench/report'
import type { Mutant } from './catalogue'
import { CLARITIES } from './first-screen'
import { type Judgement, OUTCOMES } from './judge'

/** The outcomes of one mutant without and with a profile; `null` where it did not run. */
export interface Row {
  readonly mutant: Mutant
  readonly without: Judgement | null
  readonly with: Judgement | null
}

interface Column {
  readonly title: string
  readonly of: (row: Row) => Judgement | null
  /** Should this column find the mutant? */
  readonly finds: (mutant: Mutant) => boolean
}

const COLUMNS: readonly Column[] = [
  { title: 'without profile', of: (row) => row.without, finds: ({ choice }) => choice !== true },
  { title: 'with profile', of: (row) => row.with, finds: () => true },
]

const SENTENCE_COLUMNS = 160
const UNNAMED_SENTENCES = 3

const outcomeText = (judged: Judgement | null): string => {
  if (judged === null) return '–'
  const { outcome, clarity } = judged
  return outcome === 'found' ? `found, ${clarity}` : outcome
}

const shorten = (sentence: string): string => {
  const line = sentence.replaceAll(/\s+/g, ' ')
  return line.length > SENTENCE_COLUMNS ? `${line.slice(0, SENTENCE_COLUMNS - 1)}…` : line
}

/** The sentence that names the cause, else the first sentences that the control lacks. */
const sentencesOf = ({ sentence, added }: Judgement): readonly string[] =>
  (sentence === null ? added.slice(0, UNNAMED_SENTENCES) : [sentence]).map((one) => `    ${shorten(one)}`)

/** The outcomes and the sentences of one mutant. */
export const describeRow = (row: Row): string =>
  [
    row.mutant.name,
    ...COLUMNS.flatMap(({ title, of }) => {
      const judged = of(row)
      return judged === null
        ? []
        : [`  ${title}: ${outcomeText(judged)}, ${judged.lines} lines`, ...sentencesOf(judged)]
    }),
  ].join('\n')

export const mutantTable = (rows: readonly Row[]): string =>
  textTable(
    ['mutant', ...COLUMNS.map(({ title }) => title)],
    rows.map((row) => [
      `${row.mutant.name}${row.mutant.outOfReach === true ? ' (out of reach)' : ''}`,
      ...COLUMNS.map(({ of }) => outcomeText(of(row))),
    ]),
  )

const isMissed = ({ outcome }: Judgement): boolean => outcome === 'missed' || outcome === 'incomplete'

/** The counts and the misses of each column. Mutants that are out of reach are not counted. */
export function totals(rows: readonly Row[]): readonly string[] {
  const counted = rows.filter(({ mutant }) => mutant.outOfReach !== true)
  return COLUMNS.flatMap(({ title, of, finds }) => {
    const ran = counted.flatMap((row) => {
      const judged = of(row)
      return judged === null ? [] : [{ ...judged, mutant: row.mutant }]
    })
    if (ran.length === 0) return []
    const counts = OUTCOMES.map((outcome) => {
      const same = ran.filter((one) => one.outcome === outcome)
      const named = same.filter(({ sentence }) => sentence !== null).length
      return `${same.length} ${outcome}${outcome === 'found' ? ` (${named} named by their cause)` : ''}`
    })
    const found = ran.filter(({ outcome }) => outcome === 'found')
    const clear = CLARITIES.map((kind) => `${found.filter(({ clarity }) => clarity === kind).length} ${kind}`)
    const misses = ran.filter((one) => isMissed(one) && finds(one.mutant)).map(({ mutant }) => mutant.name)
    return [
      `${title}: ${counts.join(', ')} of ${ran.length}`,
      `  first screen: ${clear.join(', ')} of ${found.length} found; at most ${Math.max(0, ...found.map(({ lines }) => lines))} lines`,
      ...(misses.length === 0 ? [] : [`  should be found: ${misses.join(', ')}`]),
    ]
  })
}
