'use client'

import { useState } from 'react'
import type { Overview } from '../../lib/wire/overview'
import { client } from '../ui/client'
import { type LiveState, useLive } from '../ui/use-live'

export interface OverviewState extends LiveState {
  /** `null` until it was read once; afterwards the last one read. */
  readonly overview: Overview | null
}

/** What happens right now. Every fact is a reason to look again. */
export function useOverview(): OverviewState {
  const [overview, setOverview] = useState<Overview | null>(null)
  const live = useLive({
    read: async (signal) => setOverview(await client.overview(signal)),
    concerns: () => true,
  })
  return { ...live, overview }
}
