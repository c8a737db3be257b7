'use client'

import type { Losses } from '../../lib/wire/losses'
import { client } from '../ui/client'
import { type StampedState, useStamped } from '../ui/stamp'

/** What was made and what became of it, of everybody or of one stamp. Every fact is a reason to look again. */
export const useLosses = (stamp: string | null): StampedState<Losses> =>
  useStamped(stamp, { readOf: client.losses, concerns: () => true })
