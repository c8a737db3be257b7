'use client'

import { Fragment, useEffect, useEffectEvent } from 'react'
import { sentWords } from './sent-again-counts'

/** When all were posted it is read once more, and then in the way. */
const GOES_AFTER_MS = 15_000

interface SentAgainProps {
  readonly seqs: readonly number[]
  /** All of them were posted since. */
  readonly isOver: boolean
  readonly onGone: () => void
}

/** Which envelopes were sent again, each a link, until that is over. */
export function SentAgain({ seqs, isOver, onGone }: SentAgainProps) {
  const go = useEffectEvent(onGone)
  useEffect(() => {
    if (!isOver) return
    const timer = window.setTimeout(() => go(), GOES_AFTER_MS)
    return () => window.clearTimeout(timer)
  }, [isOver])
  const { before, after } = sentWords(seqs, isOver)
  return (
    <span data-sent-again={isOver ? 'over' : 'pending'}>
      {before}{' '}
      {seqs.map((seq, at) => (
        <Fragment key={seq}>
          {at > 0 && ', '}
          <a href={`/envelopes/${seq}`}>{seq}</a>
        </Fragment>
      ))}{' '}
      {after}
    </span>
  )
}
