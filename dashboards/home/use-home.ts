'use client'

import { client } from '../ui/client'
import { polled } from '../ui/use-polled'

/** Facts cause a read of the slower parts at most this often. */
const SLOW_GAP_MS = 5000
const EVERY_MS = 5000
/** Without facts, only the end of the last hour moves. */
const IDLE_MS = 30_000
const SHOWN_GROUPS = 3

/** The state of delivery, the last envelope and what was refused. */
export const useOverview = polled((signal) => client.overview(signal), EVERY_MS)

/** The figures with the counts of each minute. */
export const useMinutes = polled((signal) => client.figures(true, signal), EVERY_MS)

/** The groups of errors that arrived last. */
export const useBroken = polled((signal) => client.errors({ limit: SHOWN_GROUPS, signal }), IDLE_MS, SLOW_GAP_MS)

export const useSlow = polled((signal) => client.slow(signal), IDLE_MS, SLOW_GAP_MS)

export const usePrograms = polled((signal) => client.programs(signal), IDLE_MS, SLOW_GAP_MS)
