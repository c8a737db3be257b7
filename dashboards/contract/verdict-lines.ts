import { formatCount, plural } from '../../lib/format'
import type { Contract, JudgedRule, JudgedSetting } from '../../lib/wire/contract'

/** `stated`: recorded telemetry cannot break it, so it has no verdict. */
export type VerdictWord = 'pass' | 'fail' | 'incomplete' | 'stated'

export interface VerdictLine {
  readonly word: VerdictWord
  readonly isWarning: boolean
  readonly text: string
}

export function lineOfRule({ verdict, severity }: Pick<JudgedRule, 'verdict' | 'severity'>): VerdictLine {
  const line = { word: verdict.verdict, isWarning: verdict.verdict === 'fail' && severity !== 'error' }
  if (verdict.verdict === 'incomplete') return { ...line, text: verdict.why }
  const judged = `${formatCount(verdict.judged)} checked`
  if (verdict.verdict === 'pass') return { ...line, text: judged }
  const effect = severity === 'off' ? "; a check reports it only with preset: 'contract'" : ''
  return { ...line, text: `${plural(verdict.found, 'finding')}, ${judged}${effect}` }
}

const WORST: readonly VerdictWord[] = ['fail', 'incomplete', 'pass']

/** The combined verdict of a setting: the worst of its rules. */
export function lineOfSetting({ rules, observed }: Pick<JudgedSetting, 'rules' | 'observed'>): VerdictLine {
  const lines = rules.map(lineOfRule)
  const [first] = lines
  if (first === undefined) return { word: 'stated', isWarning: false, text: observed ?? 'No rule checks it.' }
  const word = WORST.find((one) => lines.some((line) => line.word === one)) ?? first.word
  const worst = lines.filter((line) => line.word === word)
  return {
    word,
    isWarning: worst.every(({ isWarning }) => isWarning) && word === 'fail',
    text: [...new Set(worst.map(({ text }) => text))].join(' '),
  }
}

/** A failed setting or rule; `id` is its anchor on the page. */
interface Failing {
  readonly id: string
  readonly title: string
  readonly isWarning: boolean
}

interface ContractSum {
  readonly failing: readonly Failing[]
  readonly passed: number
  readonly incomplete: number
  readonly stated: number
}

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
