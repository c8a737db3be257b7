'use client'

import type { Contract } from '../../lib/wire/contract'
import type { JournalFact } from '../../lib/wire/journal'
import { client } from '../ui/client'
import { type StampedState, useStamped } from '../ui/stamp'

/** Nothing else changes what is on record, or what a page was told. */
const CONCERNING: ReadonlySet<JournalFact['kind']> = new Set(['received', 'evicted', 'cleared', 'changed'])
/** That a page kept to a limit until it ended makes no fact. */
const EVERY_MS = 15_000

/** The runtime contract with its verdicts on what is recorded, of everybody or of one stamp. */
export const useContract = (stamp: string | null): StampedState<Contract> =>
  useStamped(stamp, { readOf: client.contract, concerns: ({ kind }) => CONCERNING.has(kind), everyMs: EVERY_MS })
