import type { ReactNode } from 'react'
import type { JudgedRule } from '../../lib/wire/contract'
import { Received } from '../ui/received'
import styles from './contract-board.module.css'
import { Findings } from './findings'
import { lineOfRule, type VerdictLine } from './verdict-lines'
import { VerdictMark } from './verdict-mark'

interface RuleRowProps {
  readonly id: string
  readonly name: string
  readonly title: string
  /** What must hold, or why it matters. */
  readonly holds: string
  readonly line: VerdictLine
  readonly rules: readonly JudgedRule[]
  /** Cells behind the verdict. */
  readonly children: ReactNode
  /** Of the table. */
  readonly columns: number
}

/** One line of the contract, and below it what breaks it. */
export function RuleRow({ id, name, title, holds, line, rules, children, columns }: RuleRowProps) {
  return (
    <>
      <tr id={id} data-rule={id} data-verdict={line.word} className={styles.row}>
        <th scope="row" data-column={name}>
          <span>
            {title}
            <span className={styles.holds}>{holds}</span>
          </span>
        </th>
        <td data-column="Verdict">
          <span>
            <VerdictMark line={line} />
            {rules.length > 1 ? <EachRule rules={rules} /> : <Received className={styles.says} text={line.says} />}
          </span>
        </td>
        {children}
      </tr>
      {rules.some(({ verdict }) => verdict.verdict === 'fail') && (
        <tr className={styles.broken}>
          <td colSpan={columns}>
            {rules.map((rule) => (
              <Findings key={rule.id} rule={rule} />
            ))}
          </td>
        </tr>
      )}
    </>
  )
}

/** A setting that is checked by several rules: what each of them found. */
function EachRule({ rules }: { readonly rules: readonly JudgedRule[] }) {
  return (
    <ul className={styles.each}>
      {rules.map((rule) => {
        const line = lineOfRule(rule)
        return (
          <li key={rule.id} data-each={rule.id}>
            {rule.title}: <VerdictMark line={line} /> <Received className={styles.says} text={line.says} />
          </li>
        )
      })}
    </ul>
  )
}
