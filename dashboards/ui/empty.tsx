import type { ReactNode } from 'react'
import styles from './empty-list.module.css'

interface EmptyProps {
  readonly title: string
  /** What fills. */
  readonly what: 'list' | 'page'
  /** What would be here, and how to make something arrive. */
  readonly children: ReactNode
}

/** An empty list teaches how to fill it. */
export function Empty({ title, what, children }: EmptyProps) {
  return (
    <div className={styles.none} data-empty>
      <h2>{title}</h2>
      {children}
      <p className="faint">This {what} fills by itself; there is nothing to reload.</p>
    </div>
  )
}
