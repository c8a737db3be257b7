'use client'

import { groupBy } from '../../lib/group-by'
import { countedDiscard, lostBy } from '../../lib/protocol/outcome'
import type { Loss, Losses } from '../../lib/wire/losses'
import type { SignalRow } from '../../lib/wire/signal'
import type { TraceSummary } from '../../lib/wire/trace'
import { client } from '../ui/client'
import { useAnswer } from '../ui/use-answer'
import { polled } from '../ui/use-polled'

/** Client reports and traces that are read: the newest. */
const NEWEST = 200
const SHOWN_TRACES = 5
const MINUTES_EVERY_MS = 15_000

const useMinutes = polled((signal) => client.figures(true, signal), MINUTES_EVERY_MS)

/** The losses per minute of the last hour, of all telemetry; `null` until it is read. */
export function useLossMinutes(): ((loss: Loss) => readonly number[]) | null {
  const minutes = useMinutes().answer?.minutes ?? null
  if (minutes === null) return null
  const series = new Map(minutes.losses.map((one) => [keyOf(one), one.minutes]))
  return (loss) => series.get(keyOf(loss)) ?? minutes.lost.map(() => 0)
}

/** One cause of one category. */
export const keyOf = ({ by, reason, category }: Pick<Loss, 'by' | 'reason' | 'category'>): string =>
  JSON.stringify([by, reason, category])

/** The programs whose client reports count a loss, and when the last one was received. */
export interface Reported {
  readonly programs: readonly string[]
  readonly lastAt: number
}

/** The senders of the newest stored client reports, by the loss that they count; keyed as `keyOf`. */
export function reportedBy(rows: readonly SignalRow[]): ReadonlyMap<string, Reported> {
  const byLoss = groupBy(rows, ({ copy, fields: { reason, category, quantity } }) => {
    const discard = copy === 'only' ? null : countedDiscard({ reason, category, quantity })
    return discard === null ? null : keyOf({ ...discard, by: 'sdk' })
  })
  return new Map(
    [...byLoss].map(([key, of]) => [
      key,
      {
        programs: [...new Set(of.flatMap(({ service }) => service ?? []))].sort(),
        lastAt: Math.max(...of.map(({ receivedAt }) => receivedAt)),
      },
    ]),
  )
}

const NO_REPORTS: ReadonlyMap<string, Reported> = new Map()

interface Around {
  readonly reported: ReadonlyMap<string, Reported>
  /** Of the newest traces those with a part that did not reach upstream; at most 5. */
  readonly traces: readonly TraceSummary[]
}

/** Reads stored reports and traces about the losses, again when those change. */
export function useAround({ stamp, losses }: Pick<Losses, 'stamp' | 'losses'>): Around {
  const options = { filter: { own: 'show', ...(stamp !== null && { stamp }) }, limit: NEWEST }
  const amount = (isSdk: boolean): number =>
    losses.reduce((sum, { by, quantity }) => ((by === 'sdk') === isSdk ? sum + quantity : sum), 0)
  const [discarded, lost] = [amount(true), amount(false)]
  const reports = useAnswer(
    discarded > 0 ? `reports ${stamp}` : null,
    async (signal) => reportedBy((await client.signals('client_report', { ...options, signal })).signals),
    `${discarded}`,
  )
  const traces = useAnswer(
    lost > 0 ? `traces ${stamp}` : null,
    async (signal) =>
      (await client.traces({ ...options, signal })).traces
        .filter(({ deliveryStatus: { name, reason } }) => lostBy(name, reason) !== null)
        .slice(0, SHOWN_TRACES),
    `${lost}`,
  )
  return { reported: reports.answer ?? NO_REPORTS, traces: traces.answer ?? [] }
}
