import { plural } from '../../lib/format'
import type { Contract, JudgedRule, JudgedSetting } from '../../lib/wire/contract'

/** `stated`: nothing that is recorded can break it, so it has no verdict. */
export type VerdictWord = 'pass' | 'fail' | 'incomplete' | 'stated'

export interface VerdictLine {
  readonly word: VerdictWord
  /** A failure of what is only a warning fails no check. */
  readonly isWarning: boolean
  /** What it rests on, or why there is none. */
  readonly says: string
}

/** What one rule found. */
export function lineOfRule({ verdict, severity }: Pick<JudgedRule, 'verdict' | 'severity'>): VerdictLine {
  const line = { word: verdict.verdict, isWarning: verdict.verdict === 'fail' && severity === 'warning' }
  if (verdict.verdict === 'incomplete') return { ...line, says: verdict.why }
  const judged = `${plural(verdict.judged, 'thing')} judged`
  return { ...line, says: verdict.verdict === 'pass' ? judged : `${verdict.found} found, ${judged}` }
}

const WORST: readonly VerdictWord[] = ['fail', 'incomplete', 'pass']

/** What the rules of a setting found together: the worst of it. */
export function lineOfSetting({ rules, observed }: Pick<JudgedSetting, 'rules' | 'observed'>): VerdictLine {
  const lines = rules.map(lineOfRule)
  const [first] = lines
  if (first === undefined) return { word: 'stated', isWarning: false, says: observed ?? 'No rule: it is stated alone.' }
  const word = WORST.find((one) => lines.some((line) => line.word === one)) ?? first.word
  const worst = lines.filter((line) => line.word === word)
  return {
    word,
    isWarning: worst.every(({ isWarning }) => isWarning) && word === 'fail',
    says: [...new Set(worst.map(({ says }) => says))].join(' '),
  }
}

/** What fails, to be told first, each by its name and where it stands on the page. */
export interface Failing {
  readonly id: string
  readonly title: string
  readonly isWarning: boolean
}

export interface ContractSum {
  readonly failing: readonly Failing[]
  readonly passed: number
  readonly incomplete: number
  readonly stated: number
}

/** How much of the contract is kept, settings and rules beyond them together. */
export function sumOf({ settings, beyond }: Pick<Contract, 'settings' | 'beyond'>): ContractSum {
  const all = [
    ...settings.map((setting) => ({ ...setting, line: lineOfSetting(setting) })),
    ...beyond.map((rule) => ({ ...rule, line: lineOfRule(rule) })),
  ]
  const count = (word: VerdictWord): number => all.filter(({ line }) => line.word === word).length
  return {
    failing: all
      .filter(({ line }) => line.word === 'fail')
      .map(({ id, title, line: { isWarning } }) => ({ id, title, isWarning }))
      .sort((a, b) => Number(a.isWarning) - Number(b.isWarning)),
    passed: count('pass'),
    incomplete: count('incomplete'),
    stated: count('stated'),
  }
}
