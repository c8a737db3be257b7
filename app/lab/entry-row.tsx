import type { ReactNode } from 'react'
import styles from './lab.module.css'

interface Props {
  readonly expect: string
  /** The button or link. */
  readonly children: ReactNode
  /** What came of it, once it was used. */
  readonly result?: ReactNode
}

export function EntryRow({ expect, children, result = null }: Props) {
  return (
    <li className={styles.entry}>
      <div>{children}</div>
      <p className={`${styles.expect} soft small`}>{expect}</p>
      {result}
    </li>
  )
}
