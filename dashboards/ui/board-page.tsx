'use client'

import type { ReactNode } from 'react'
import { ConnectionBanner } from './board'
import styles from './board.module.css'
import { TopBar } from './top-bar'
import { UnknownParameters } from './unknown-parameter-notes'
import type { LiveState } from './use-live'

interface BoardPageProps {
  readonly title: string
  readonly live: LiveState
  /** One sentence about what the page covers; `null` until it is known. */
  readonly scope: string | null
  /** The text until the first read succeeds or fails; `null` after it. */
  readonly reading: string | null
  /** The parameters of the page's address, the same array each time; without it the page names no others. */
  readonly known?: readonly string[]
  readonly tools?: ReactNode
  /** Instead of the usual width and distances. */
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** The frame of a board that is no list: heading, connection, notes, and the first read. */
export function BoardPage({ title, live, scope, reading, known, tools, children, ...page }: BoardPageProps) {
  return (
    <>
      <TopBar title={title} live={live} scope={scope} />
      <div className={page.className ?? styles.board}>
        {tools}
        {known !== undefined && <UnknownParameters page={title} known={known} />}
        <ConnectionBanner {...live} />
        {reading !== null && live.failure === null && <p className="small faint">{reading}</p>}
        {children}
      </div>
    </>
  )
}
