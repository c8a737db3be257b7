'use client'

import { useSyncExternalStore } from 'react'
import { BOARD_PAGES } from '../../lib/wire/pages'
import styles from './site-header.module.css'
import { HAS_LAB } from './standalone'
import { useCurrentInSight } from './tabs'

const PAGES: readonly { readonly path: string; readonly name: string }[] = [
  ...BOARD_PAGES.flatMap(({ path, name }) => (name === null ? [] : [{ path, name }])),
  ...(HAS_LAB ? [{ path: '/lab', name: 'Lab' }] : []),
]

/** The header of every page. It renders without scripts, which only mark the current page. */
export function SiteHeader() {
  const path = useSyncExternalStore(
    followPath,
    () => window.location.pathname,
    () => null,
  )
  const nav = useCurrentInSight(path)
  return (
    <header className={styles.header}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <a className={styles.name} href="/">
        <svg aria-hidden="true" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor">
          <path d="M1 8h4m6 0h4" strokeWidth="1.5" strokeLinecap="round" />
          <rect x="5" y="5" width="6" height="6" rx="1" strokeWidth="1.5" />
        </svg>
        <span>Waystation</span>
      </a>
      <nav ref={nav} aria-label="Pages" className={styles.pages}>
        {PAGES.map((page) => (
          <a key={page.path} href={page.path} aria-current={ariaCurrent(page.path, path)}>
            {page.name}
          </a>
        ))}
      </nav>
    </header>
  )
}

function ariaCurrent(href: string, path: string | null): 'page' | 'true' | undefined {
  if (path === href) return 'page'
  if (path === null || href === '/') return undefined
  return path.startsWith(`${href}/`) ? 'true' : undefined
}

function followPath(changed: () => void): () => void {
  window.addEventListener('popstate', changed)
  return () => window.removeEventListener('popstate', changed)
}
