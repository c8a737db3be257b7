'use client'

import type { Figures } from '../../lib/wire/figures'
import { CopyButton } from '../ui/facts'
import { Glyph, Icon } from '../ui/glyph'
import { type Entry, GROUPS } from './entries'
import styles from './sidebar.module.css'

interface SidebarProps {
  readonly current: Entry | null
  /** `null` before the first answer. */
  readonly figures: Figures | null
  readonly localDsn: string | null
  readonly isFolded: boolean
  readonly onFold: () => void
}

/** The boards in groups, each with one figure. It renders without scripts. Folded, it is a rail of icons. */
export function Sidebar({ current, figures, localDsn, isFolded, onFold }: SidebarProps) {
  return (
    <nav className={styles.side} aria-label="Pages" data-folded={isFolded}>
      <a className={styles.brand} href="/" aria-label="Waystation">
        <svg aria-hidden="true" viewBox="0 0 22 16" width="22" height="16" fill="none" stroke="currentColor">
          <path d="M1.5 8h5M15.5 8h5" strokeWidth="2" strokeLinecap="round" />
          <circle cx="11" cy="8" r="3.6" strokeWidth="2" />
        </svg>
        <span className={styles.word}>Waystation</span>
      </a>
      <div className={styles.groups}>
        {GROUPS.map((group) => (
          <div key={group.name} className={styles.group}>
            <p>{group.name}</p>
            {group.entries.map((entry) => (
              <EntryLink key={entry.path} entry={entry} figures={figures} isCurrent={entry === current} />
            ))}
          </div>
        ))}
      </div>
      {localDsn !== null && (
        <div className={styles.connect}>
          <span>
            Connect an app: local DSN <CopyButton text={localDsn} label="the local DSN" quiet />
          </span>
          <code>{localDsn}</code>
        </div>
      )}
      <button
        type="button"
        className={styles.fold}
        aria-expanded={!isFolded}
        onClick={onFold}
        title={isFolded ? 'Unfold the navigation ([)' : 'Fold the navigation ([)'}
      >
        <Glyph name={isFolded ? 'next' : 'previous'} />
        <span className={styles.word}>{isFolded ? 'Unfold' : 'Fold'}</span>
      </button>
    </nav>
  )
}

interface EntryLinkProps {
  readonly entry: Entry
  readonly figures: Figures | null
  readonly isCurrent: boolean
}

function EntryLink({ entry, figures, isCurrent }: EntryLinkProps) {
  const figure = figures === null ? null : entry.figure(figures)
  return (
    <a
      className={styles.entry}
      href={entry.path}
      aria-current={isCurrent ? 'page' : undefined}
      title={figure === null ? entry.name : `${entry.name}: ${figure.meaning}`}
    >
      <Icon name={entry.icon} />
      <span className={styles.word}>{entry.name}</span>
      {figure !== null && (
        <span className={styles.figure} data-tone={figure.tone} aria-hidden="true">
          {figure.glyph !== undefined && <Glyph name={figure.glyph} />}
          <span>{figure.text}</span>
        </span>
      )}
    </a>
  )
}
