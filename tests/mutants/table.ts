import { textTable } from '../bench/report'
import type { Mutant } from './catalogue'
import { type Judgement, OUTCOMES } from './judge'

/** The outcomes of one mutant; `compared` is `null` without a profile. */
export interface Row {
  readonly mutant: Mutant
  readonly plain: Judgement
  readonly compared: Judgement | null
}

const SENTENCE_COLUMNS = 160
const UNNAMED_SENTENCES = 3

const outcomeText = (judged: Judgement | null): string =>
  judged === null
    ? '–'
    : judged.outcome === 'found' && judged.sentence === null
      ? 'found, cause not named'
      : judged.outcome

const shorten = (sentence: string): string => {
  const line = sentence.replaceAll(/\s+/g, ' ')
  return line.length > SENTENCE_COLUMNS ? `${line.slice(0, SENTENCE_COLUMNS - 1)}…` : line
}

/** The sentence that names the cause, else the first sentences that the control lacks. */
const sentencesOf = ({ sentence, added }: Judgement): readonly string[] =>
  (sentence === null ? added.slice(0, UNNAMED_SENTENCES) : [sentence]).map((one) => `    ${shorten(one)}`)

/** The outcome and the sentences of one mutant. */
export const describeRow = ({ mutant, plain, compared }: Row): string =>
  [
    mutant.name,
    `  without a profile: ${outcomeText(plain)}`,
    ...sentencesOf(plain),
    ...(compared === null ? [] : [`  with the profile: ${outcomeText(compared)}`, ...sentencesOf(compared)]),
  ].join('\n')

export const mutantTable = (rows: readonly Row[]): string =>
  textTable(
    ['mutant', 'without profile', 'with profile'],
    rows.map((row) => [
      `${row.mutant.name}${row.mutant.outOfReach === true ? ' (out of reach)' : ''}`,
      outcomeText(row.plain),
      outcomeText(row.compared),
    ]),
  )

const isMissed = ({ outcome }: Judgement): boolean => outcome === 'missed' || outcome === 'incomplete'

/** A sentence per column, and the misses. Mutants that are out of reach are not counted. */
export function totals(rows: readonly Row[]): readonly string[] {
  const counted = rows.filter(({ mutant }) => mutant.outOfReach !== true)
  const sumOf = (title: string, judged: readonly Judgement[]): string => {
    const named = judged.filter(({ outcome, sentence }) => outcome === 'found' && sentence !== null).length
    const counts = OUTCOMES.map((outcome) => {
      const count = judged.filter((one) => one.outcome === outcome).length
      return `${count} ${outcome}${outcome === 'found' ? ` (${named} named by their cause)` : ''}`
    })
    return `${title}: ${counts.join(', ')} of ${judged.length}`
  }
  const missesOf = (title: string, isMiss: (row: Row) => boolean): readonly string[] => {
    const names = counted.filter(isMiss).map(({ mutant }) => mutant.name)
    return names.length === 0 ? [] : [`${title}: ${names.join(', ')}`]
  }
  const compared = counted.flatMap((row) => (row.compared === null ? [] : [row.compared]))
  return [
    sumOf(
      'without a profile',
      counted.map(({ plain }) => plain),
    ),
    ...(compared.length === 0 ? [] : [sumOf('with the profile', compared)]),
    ...missesOf('never intended, but missed without a profile', (row) => !row.mutant.choice && isMissed(row.plain)),
    ...missesOf('missed with the profile', ({ compared }) => compared !== null && isMissed(compared)),
  ]
}
