import type { ReactNode } from 'react'
import type { JudgedRule } from '../../../lib/wire/contract'
import { Received } from '../../shared/received'
import type { VerdictLine } from '../arrange/verdict-lines'
import styles from './contract-board.module.css'
import { Findings } from './findings'
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
            <VerdictMark line={line} /> <Received className={styles.says} text={line.says} />
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
