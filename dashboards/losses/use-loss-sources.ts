'use client'

import { groupBy } from '../../lib/group-by'
import { countedDiscard, lostBy } from '../../lib/protocol/outcome'
import type { Loss, Losses } from '../../lib/wire/losses'
import type { SignalRow } from '../../lib/wire/signal'
import type { TraceSummary } from '../../lib/wire/trace'
import { client } from '../ui/client'
import { useAnswer } from '../ui/use-answer'
import { polled } from '../ui/use-polled'
import { statusOfLoss } from './lost-envelopes'

/** Client reports that are read: the newest. */
const NEWEST = 200
const SHOWN_TRACES = 5
/** Envelopes of each delivery status, and traces in them, that are read for those shown. */
const READ_ENVELOPES = 50
const READ_TRACES = 20
/** The items that give a trace its delivery status. */
const OF_TRACES = 'type:event type:transaction type:span type:otlp_traces'
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
  /** The newest traces with a part that did not reach upstream; at most 5. */
  readonly traces: readonly TraceSummary[]
}

/** Reads stored reports and traces about the losses, again when those change. */
export function useAround({ stamp, losses }: Pick<Losses, 'stamp' | 'losses'>): Around {
  const filter = { own: 'show', ...(stamp !== null && { stamp }) }
  const amount = (isSdk: boolean): number =>
    losses.reduce((sum, { by, quantity }) => ((by === 'sdk') === isSdk ? sum + quantity : sum), 0)
  const [discarded, lost] = [amount(true), amount(false)]
  const reports = useAnswer(
    discarded > 0 ? `reports ${stamp}` : null,
    async (signal) => reportedBy((await client.signals('client_report', { filter, limit: NEWEST, signal })).signals),
    `${discarded}`,
  )
  const traces = useAnswer(
    lost > 0 ? `traces ${stamp}` : null,
    async (signal) => affectedTraces(losses, filter, signal),
    `${lost}`,
  )
  return { reported: reports.answer ?? NO_REPORTS, traces: traces.answer ?? [] }
}

/** Reads the traces of envelopes with losses, one status at a time, which the collector finds by an index. */
async function affectedTraces(
  losses: readonly Loss[],
  filter: { readonly own: string; readonly stamp?: string },
  signal: AbortSignal,
): Promise<readonly TraceSummary[]> {
  const statuses = new Set(losses.flatMap((loss) => statusOfLoss(loss) ?? []))
  const pages = await Promise.all(
    [...statuses].map((delivery) =>
      client.envelopes({ filter: { ...filter, delivery }, q: OF_TRACES, limit: READ_ENVELOPES, signal }),
    ),
  )
  const newest = pages.flatMap(({ envelopes }) => envelopes).sort((a, b) => b.seq - a.seq)
  const ids = new Set(newest.flatMap(({ traceId }) => traceId ?? []))
  const traces: TraceSummary[] = []
  for (const id of [...ids].slice(0, READ_TRACES)) {
    const trace = await readSummary(id, signal)
    if (trace !== null && lostBy(trace.deliveryStatus.name, trace.deliveryStatus.reason) !== null) traces.push(trace)
    if (traces.length === SHOWN_TRACES) break
  }
  return traces
}

/** The first line of a trace. @returns `null` when it is not stored */
async function readSummary(traceId: string, signal: AbortSignal): Promise<TraceSummary | null> {
  for await (const piece of client.traceColumns(traceId, {}, signal))
    return piece.kind === 'head' ? piece.summary : null
  return null
}
