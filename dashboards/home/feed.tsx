'use client'

import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { formatCount, plural } from '../../lib/format'
import type { JournalFact } from '../../lib/wire/journal'
import type { Visit, Visits } from '../../lib/wire/visits'
import { client, type Failure } from '../ui/client'
import { type KeyHelp, type KeyMap, useKeyHelp, useKeys } from '../ui/keys'
import { LiveControls } from '../ui/live-controls'
import { isPageFocused } from '../ui/navigation'
import { LinkSegments } from '../ui/segments'
import { useLive } from '../ui/use-live'
import { isReadingList, useReturnToRow } from '../ui/use-rows'
import styles from './feed.module.css'
import { countNew, type FeedState, FIRST_VISITS, MOST_SHOWN, nextFeed, revealFeed } from './feed-state'
import { ApartItem, VisitItem } from './feed-visit'

const FEED_ROW = '[data-feed-row]'
const FEED_LINK = 'a[data-feed-row]'
/** Facts can arrive hundreds of times a second. */
const READ_GAP_MS = 1500
/** These are unfolded until the reader folds them. */
const UNFOLDED = 3

const HELP: readonly KeyHelp[] = [
  { keys: ['j', '↓'], does: 'next visit or row' },
  { keys: ['k', '↑'], does: 'previous visit or row' },
  { keys: ['Enter'], does: 'unfold or fold the visit, or open the row' },
  { keys: ['n'], does: 'show new activity' },
  { keys: ['p'], does: 'pause what just happened for you, or resume' },
  { keys: ['Esc'], does: 'leave the rows, and new activity appears automatically again' },
]

const VIEWS = [
  { id: 'visit', label: 'By visit', href: '/' },
  { id: 'request', label: 'By request', href: '/traces' },
  { id: 'item', label: 'All items', href: '/envelopes' },
] as const

const concerns = ({ kind }: JournalFact): boolean => kind !== 'received' && kind !== 'refused' && kind !== 'changed'

/** The visits of the last hour with what happened in them. Follows the live stream; new activity waits while someone reads. */
export function Feed() {
  const container = useRef<HTMLDivElement>(null)
  const { feed, failure, isPaused, pause, reveal, limit, showMore } = useFeed(container)
  useKeyHelp(HELP)
  useReturnToRow(container, {
    links: FEED_LINK,
    loaded: feed?.shown.visits.length ?? 0,
    older: limit < MOST_SHOWN && (feed?.shown.visitCount ?? 0) > limit,
    busy: feed !== null && feed.shown.visits.length < Math.min(limit, feed.shown.visitCount),
    loadOlder: showMore,
  })
  const shown = feed?.shown ?? null
  const newCount = feed === null || feed.waiting === null ? 0 : countNew(feed.shown, feed.waiting)
  const revealAtTop = (): boolean => {
    reveal()
    window.scrollTo({ top: 0 })
    return newCount > 0
  }
  useFeedKeys(container, {
    n: revealAtTop,
    p: () => {
      pause(!isPaused)
      return true
    },
  })
  return (
    <section className={styles.feed} aria-labelledby="what-just-happened">
      <div className={styles.head}>
        <h2 id="what-just-happened">What just happened</h2>
        <LinkSegments label="Grouped" segments={VIEWS} current="visit" />
        <span className={styles.barEnd}>
          <LiveControls {...{ newCount, isPaused }} noun="activity" onReveal={revealAtTop} onPause={pause}>
            <kbd className={styles.key}>p</kbd>
          </LiveControls>
        </span>
      </div>
      <div ref={container}>
        {shown === null && (
          <p className={styles.note}>
            {failure === null ? 'Loading …' : 'The visits could not be read. They appear when the collector answers.'}
          </p>
        )}
        {shown !== null && <VisitList shown={shown} />}
      </div>
      {shown !== null && shown.visitCount > shown.visits.length && (
        <p className={styles.note}>
          {formatCount(shown.visits.length)} of {plural(shown.visitCount, 'visit')} of the last hour.{' '}
          {limit < MOST_SHOWN && (
            <button type="button" className="button" onClick={showMore}>
              Show more
            </button>
          )}
        </p>
      )}
      {shown?.isPart === true && (
        <p className={styles.note}>
          More arrived in the last hour than is grouped here. <a href="/traces">Traces</a> has everything.
        </p>
      )}
    </section>
  )
}

function VisitList({ shown }: { readonly shown: FeedState['shown'] }) {
  const { visits, apart } = shown
  const hasApart = apart.traceCount > 0 || apart.errorCount > 0
  if (visits.length === 0 && !hasApart)
    return (
      <p className={styles.note} data-feed-empty>
        Nothing happened in the last hour. Load a page of a connected app: its requests, the traces of its server, its
        logs and its errors appear here, together.
      </p>
    )
  const items = visits.map((visit, at) => <VisitItem key={visit.id} visit={visit} isNewest={at < UNFOLDED} />)
  const isBefore = ({ journal }: Visit): boolean => journal < (apart.newest ?? 0)
  const at = visits.some(isBefore) ? visits.findIndex(isBefore) : items.length
  return (
    <ol className={styles.visits}>
      {items.slice(0, at)}
      {hasApart && <ApartItem key="apart" apart={apart} isFirstOpen={visits.length === 0} />}
      {items.slice(at)}
    </ol>
  )
}

let ahead: Promise<Visits> | null = null

/** Begins to read the visits before the page is shown, so that it begins with them. */
export function readFeedAhead(): Promise<void> {
  ahead = client.visits(FIRST_VISITS)
  // The feed says why it failed.
  return ahead.then(noop, noop)
}

const noop = (): void => undefined

function readVisits(limit: number, signal: AbortSignal): Promise<Visits> {
  const begun = limit === FIRST_VISITS ? ahead : null
  ahead = null
  return begun ?? client.visits(limit, signal)
}

interface FollowedFeed {
  readonly feed: FeedState | null
  readonly failure: Failure | null
  readonly isPaused: boolean
  readonly pause: (isPaused: boolean) => void
  readonly reveal: () => void
  /** Visits that are requested. */
  readonly limit: number
  readonly showMore: () => void
}

function useFeed(container: RefObject<HTMLElement | null>): FollowedFeed {
  const [feed, setFeed] = useState<FeedState | null>(null)
  const [isPaused, setPaused] = useState(false)
  const [limit, setLimit] = useState(FIRST_VISITS)
  const isReading = useMemo(() => isReadingList(container), [container])
  const { failure, readNow } = useLive({
    read: async (signal) => {
      const fresh = await readVisits(limit, signal)
      if (!signal.aborted) setFeed((before) => nextFeed(before, fresh, isPaused ? 'all' : isReading()))
    },
    concerns,
    gapMs: READ_GAP_MS,
  })
  useEffect(() => {
    if (limit > FIRST_VISITS) readNow()
  }, [limit, readNow])
  const reveal = (): void => setFeed((before) => (before === null ? null : revealFeed(before)))
  return {
    ...{ feed, failure, isPaused, limit, reveal },
    pause: (paused) => {
      setPaused(paused)
      if (paused) return
      reveal()
      // A read that began during the pause may have kept something back.
      readNow()
    },
    showMore: () => setLimit(Math.min(MOST_SHOWN, 2 * limit)),
  }
}

/** Moves the focus through headers and rows; Escape leaves them. */
function useFeedKeys(container: RefObject<HTMLElement | null>, more: KeyMap): void {
  const rows = (): HTMLElement[] => [...(container.current?.querySelectorAll<HTMLElement>(FEED_ROW) ?? [])]
  const isInside = (): boolean => container.current?.contains(document.activeElement) === true
  const focusBy = (step: 1 | -1) => (): boolean => {
    const all = rows()
    const at = document.activeElement instanceof HTMLElement ? all.indexOf(document.activeElement) : -1
    const next = all[at === -1 ? 0 : at + step]
    next?.focus({ preventScroll: true })
    next?.scrollIntoView({ block: 'nearest' })
    return next !== undefined
  }
  useKeys({
    j: focusBy(1),
    k: focusBy(-1),
    ArrowDown: () => (isInside() || isPageFocused() ? focusBy(1)() : false),
    ArrowUp: () => (isInside() ? focusBy(-1)() : false),
    Escape: () => {
      if (!isInside() || !(document.activeElement instanceof HTMLElement)) return false
      document.activeElement.blur()
      return true
    },
    ...more,
  })
}
