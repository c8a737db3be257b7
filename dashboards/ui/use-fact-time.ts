'use client'

import { useEffect, useState } from 'react'
import { client } from './client'

/** When the fact of a journal number was, in ms since the epoch; `null` until it is known, and where it is known no more. */
export function useFactTime(journal: number | null): number | null {
  const [known, setKnown] = useState<{ readonly journal: number; readonly at: number } | null>(null)
  useEffect(() => {
    if (journal === null) return
    const aborter = new AbortController()
    client.fact(journal, aborter.signal).then(
      (fact) => {
        if (fact !== null && !aborter.signal.aborted) setKnown({ journal, at: fact.at })
      },
      // The time is an extra: whether the collector answers is shown where the list is.
      () => null,
    )
    return () => aborter.abort()
  }, [journal])
  return known !== null && known.journal === journal ? known.at : null
}
