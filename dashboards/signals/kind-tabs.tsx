'use client'

import type { MouseEvent } from 'react'
import { formatCount } from '../../lib/format'
import type { SignalKind } from '../../lib/protocol/items/signal'
import { signalsHref } from '../ui/links'
import { useCurrentInSight } from '../ui/tabs'
import styles from '../ui/tabs.module.css'
import { type KindTab, kindWords } from './signal-kinds'

interface KindTabsProps {
  readonly tabs: readonly KindTab[]
  /** `null` where the address names a kind that there is not. */
  readonly current: SignalKind | null
  readonly onChoose: (kind: SignalKind) => void
}

/** One link per kind, with how many there are. Each is an address; chosen here, the page stays. */
export function KindTabs({ tabs, current, onChoose }: KindTabsProps) {
  const line = useCurrentInSight(
    `${current} ${tabs.map((tab) => tab.kind).join()} ${tabs.some((tab) => tab.count === null)}`,
  )
  const choose = (kind: SignalKind) => (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onChoose(kind)
  }
  return (
    <nav ref={line} aria-label="Kinds of signals" className={styles.kinds}>
      {tabs.map(({ kind, count }) => (
        <a
          key={kind}
          href={signalsHref(kind)}
          aria-current={kind === current ? 'page' : undefined}
          data-kind={kind}
          data-none={count === 0}
          onClick={choose(kind)}
        >
          {kindWords(kind).name}{' '}
          {count !== null && count > 0 && <span className={styles.count}>{formatCount(count)}</span>}
        </a>
      ))}
    </nav>
  )
}
