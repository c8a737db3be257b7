'use client'

import type { MouseEvent } from 'react'
import { LEDGERS, type Ledger, ledgerHref } from '../ui/links'
import { useCurrentInSight } from '../ui/tabs'
// The same line of links as that of the kinds of signals.
import styles from '../ui/tabs.module.css'

const NAMES: Readonly<Record<Ledger, string>> = {
  envelopes: 'Envelopes',
  attempts: 'Attempts',
  'dead-letters': 'Dead letters',
}

interface LedgerTabsProps {
  readonly current: Ledger
  readonly onChoose: (ledger: Ledger) => void
}

/** Three lists of one ledger. Each is an address; chosen here, the page stays. */
export function LedgerTabs({ current, onChoose }: LedgerTabsProps) {
  const line = useCurrentInSight(current)
  const choose = (ledger: Ledger) => (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onChoose(ledger)
  }
  return (
    <nav ref={line} aria-label="Of the delivery ledger" className={styles.kinds}>
      {LEDGERS.map((ledger) => (
        <a
          key={ledger}
          href={ledgerHref(ledger)}
          aria-current={ledger === current ? 'page' : undefined}
          data-ledger={ledger}
          onClick={choose(ledger)}
        >
          {NAMES[ledger]}
        </a>
      ))}
    </nav>
  )
}
