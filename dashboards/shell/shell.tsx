'use client'

import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { client } from '../ui/client'
import { Glyph } from '../ui/glyph'
import { isTyping, useKeys } from '../ui/keys'
import { navigate, usePathname } from '../ui/navigation'
import { applyPreferences, toggleTheme, usePreference } from '../ui/preferences'
import { useSizeProperty } from '../ui/size-property'
import { StatusBanner } from '../ui/status-banner'
import { polled } from '../ui/use-polled'
import { useStatus } from '../ui/use-status'
import { ENTRIES, entryOf, isDetail } from './entries'
import { ProjectAndRun } from './project-and-run'
import styles from './shell.module.css'
import { Sidebar } from './sidebar'
import { StatusLine } from './status-line'
import { TabBar } from './tab-bar'

const loadPalette = () => import('./palette')
const KeySheet = lazy(() => import('./key-sheet').then((module) => ({ default: module.KeySheet })))
const Palette = lazy(() => loadPalette().then((module) => ({ default: module.Palette })))

/** Loads the palette and its first lines before it is opened. Opening it tries again. */
function preparePalette(): void {
  loadPalette()
    .then(({ readRecent }) => readRecent())
    .catch(() => null)
}

const FIGURES_EVERY_MS = 5000
/** The second key of `g t` follows within this time. */
const SEQUENCE_MS = 1500
const NARROW = '(max-width: 1180px)'

const useFigures = polled((signal) => client.figures(false, signal), FIGURES_EVERY_MS)

/** The frame of every page: navigation, search, banners, status line. It renders without scripts. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const pathname = usePathname()
  const status = useStatus()
  const figures = useFigures()
  const localDsn = status?.status.localDsn ?? null
  const tools = useSizeProperty<HTMLElement>('--tools-width', 'inlineSize')
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null)
  const [isFolded, fold] = useFold(pathname)
  const current = pathname === null ? null : entryOf(pathname)
  useShellKeys({ openPalette: () => setOpen('palette'), openKeys: () => setOpen('keys'), fold })
  useEffect(() => {
    applyPreferences()
  }, [])
  const close = (): void => setOpen(null)
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <Sidebar current={current} figures={figures.answer} localDsn={localDsn} isFolded={isFolded} onFold={fold} />
      <div className={styles.page}>
        <StatusBanner read={status} />
        <header ref={tools} className={styles.tools}>
          <button
            type="button"
            className={styles.jump}
            onClick={() => setOpen('palette')}
            onPointerEnter={preparePalette}
          >
            <Glyph name="find" />
            <span>Search or jump to</span>
            <kbd>Ctrl</kbd>
            <kbd>K</kbd>
          </button>
          <ProjectAndRun
            pathname={pathname}
            projects={figures.answer?.projects ?? null}
            run={status?.status.run ?? null}
          />
          <button
            type="button"
            className={styles.icon}
            onClick={toggleTheme}
            aria-label="Light or dark"
            title="Light or dark"
          >
            <Glyph name="theme" />
          </button>
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
      <StatusLine figures={figures.answer} status={status} failure={figures.failure} onKeys={() => setOpen('keys')} />
      <TabBar current={current} onMore={() => setOpen('palette')} />
      <Suspense fallback={null}>
        {open === 'palette' && (
          <Palette
            localDsn={localDsn}
            isReadOnly={status?.status.shown != null}
            fold={fold}
            showKeys={() => setOpen('keys')}
            onClose={close}
          />
        )}
        {open === 'keys' && <KeySheet onClose={close} />}
      </Suspense>
    </div>
  )
}

/** Whether the navigation is a rail: as chosen, else on narrow screens and where a detail needs the width. */
function useFold(pathname: string | null): readonly [boolean, () => void] {
  const [chosen, choose] = usePreference('fold')
  const isNarrow = useSyncExternalStore(
    (changed) => {
      const query = window.matchMedia(NARROW)
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => window.matchMedia(NARROW).matches,
    () => false,
  )
  const isFolded = chosen === null ? isNarrow || (pathname !== null && isDetail(pathname)) : chosen === 'yes'
  return [isFolded, () => choose(isFolded ? 'no' : 'yes')]
}

interface ShellKeys {
  readonly openPalette: () => void
  readonly openKeys: () => void
  readonly fold: () => void
}

function useShellKeys({ openPalette, openKeys, fold }: ShellKeys): void {
  const [isGoing, setGoing] = useState(false)
  useKeys({
    '?': () => {
      openKeys()
      return true
    },
    '[': () => {
      fold()
      return true
    },
    g: () => {
      setGoing(true)
      return true
    },
  })
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      openPalette()
      return
    }
    if (!isGoing || event.key === 'g' || isTyping(event.target)) return
    setGoing(false)
    const entry = ENTRIES.find(({ key }) => key === event.key)
    if (entry === undefined) return
    event.preventDefault()
    event.stopPropagation()
    navigate(entry.path)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey(event)
    // Before the keys of a board: the second key of a sequence is not its key.
    document.addEventListener('keydown', listen, true)
    return () => document.removeEventListener('keydown', listen, true)
  }, [])
  useEffect(() => {
    if (!isGoing) return
    const timer = window.setTimeout(() => setGoing(false), SEQUENCE_MS)
    return () => window.clearTimeout(timer)
  }, [isGoing])
}
