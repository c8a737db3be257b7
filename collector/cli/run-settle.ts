import { runWithTimeout } from '../../lib/time'
import type { CollectorClient } from '../../lib/wire/collector-client'
import type { Overview, UpstreamState } from '../../lib/wire/overview'

/** `late`: something was still under way when the time was over. */
export type Settled = 'settled' | 'late'

export interface SettlePlan {
  readonly client: Pick<CollectorClient, 'overview'>
  /** How long at most, in ms. */
  readonly forMs: number
  /** ms that only ever grow */
  readonly now: () => number
  /** Settles after so long, or as soon as it is stopped. */
  readonly pause: (ms: number) => Promise<void>
  readonly stop: AbortSignal
  /** Is told what is waited for, again and again. */
  readonly onWait: (what: string) => void
}

const LOOK_EVERY_MS = 100
/** What a program sent last may still be on its way when it has ended already. */
const QUIET_MS = 300
/** A collector that does not answer that long is not waited for. */
const TIMEOUT_MS = 5_000

/**
 * Waits until what came is digested and relayed, as far as that can be, and nothing more comes.
 * @throws what the client throws, at the first answer that is none
 */
export async function settleRecording({ client, forMs, now, pause, stop, onWait }: SettlePlan): Promise<Settled> {
  const began = now()
  let quiet = { since: began, journal: -1 }
  for (;;) {
    const overview = await runWithTimeout(TIMEOUT_MS, null, client.overview)
    if (overview.journal !== quiet.journal) quiet = { since: now(), journal: overview.journal }
    const waitsFor = whatIsUnderWay(overview)
    if (waitsFor === null && now() - quiet.since >= Math.min(QUIET_MS, forMs)) return 'settled'
    if (now() - began >= forMs || stop.aborted) return waitsFor === null ? 'settled' : 'late'
    onWait(waitsFor ?? 'for what is still on its way')
    await pause(LOOK_EVERY_MS)
  }
}

/** `null` when nothing is; what needs a person or more than a moment is not waited for. */
function whatIsUnderWay({ last, upstreams }: Overview): string | null {
  const pending = upstreams.reduce((sum, upstream) => sum + movingOf(upstream), 0)
  if (pending > 0) return `for upstream to take ${pending === 1 ? 'one envelope' : `${pending} envelopes`}`
  return last?.digest === 'pending' ? 'for what came to be digested' : null
}

const movingOf = ({ state, pending, deferred }: UpstreamState): number =>
  state === 'paused' ? 0 : Math.max(0, pending - deferred)
