import type { ReactNode } from 'react'
import { ConnectionState } from './board'
import styles from './top-bar.module.css'
import type { LiveState } from './use-live'

interface TopBarProps {
  readonly title: ReactNode
  readonly live?: LiveState
  /** One sentence about what the page covers. */
  readonly scope?: ReactNode
}

/** The head of a board: title, connection, scope. The tools of the shell stand at its end. */
export const TopBar = ({ title, live, scope }: TopBarProps) => (
  <div className={styles.top}>
    <h1>{title}</h1>
    {live !== undefined && <ConnectionState {...live} />}
    {scope !== undefined && scope !== null && <span className={styles.scope}>{scope}</span>}
  </div>
)
