'use client'

import type { Status } from '../../lib/wire/overview'
import { client } from './client'
import { polled } from './use-polled'

const EVERY_MS = 15_000

export interface StatusRead {
  readonly status: Status
  /** The collector’s clock minus this one, in ms. */
  readonly aheadMs: number
}

const readStatus = async (signal: AbortSignal): Promise<StatusRead> => {
  const status = await client.status(signal)
  return { status, aheadMs: status.now - Date.now() }
}

const useRead = polled(readStatus, EVERY_MS)

/** Disk space and delivery status; `null` before the first answer. Keeps the last answer when a read fails. */
export const useStatus = (): StatusRead | null => useRead().answer
