'use client'

import { useState } from 'react'
import type { LimitsNow } from '../../lib/wire/limits'
import { client } from '../ui/client'
import { type LiveState, useLive } from '../ui/use-live'

/** That a limit ends, and with it a verdict, makes no fact. */
const EVERY_MS = 5000

export interface LimitsState extends LiveState {
  /** `null` until it was read once; afterwards the last one read. */
  readonly limits: LimitsNow | null
  /** How far the collector’s clock is ahead of this one: its times are counted down by it. */
  readonly aheadMs: number
}

/** What upstreams limit, limited, and whom that was told. */
export function useLimits(): LimitsState {
  const [read, setRead] = useState<{ readonly limits: LimitsNow; readonly aheadMs: number } | null>(null)
  const live = useLive({
    read: async (signal) => {
      const limits = await client.limits(signal)
      setRead({ limits, aheadMs: limits.now - Date.now() })
    },
    concerns: () => true,
    everyMs: EVERY_MS,
  })
  return { ...live, limits: read?.limits ?? null, aheadMs: read?.aheadMs ?? 0 }
}
