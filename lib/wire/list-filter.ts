import type { Signal } from '../protocol/items/signal'
import type { DeliveryStatusName, Outcome } from '../protocol/outcome'
import type { Endpoint } from '../protocol/request'
import { NO_ERRORS } from '../protocol/trace/segment'
import type { EventRow } from '../protocol/traversal/rows'

/** A trace with an error event also has the status `error`. `unset` includes senders that set no status. */
export type Status = 'ok' | 'error' | 'unset'

/** All conditions must hold; `undefined` matches everything. Times are µs; only `untilUs` is exclusive. */
export interface ListFilter {
  readonly op?: string
  readonly name?: string
  readonly status?: Status
  readonly minDurationUs?: number
  readonly maxDurationUs?: number
  readonly sinceUs?: number
  readonly untilUs?: number
  /** Prefixes of tokens in names or messages, as `tokensOf` splits them; at least one. */
  readonly text?: readonly string[]
  readonly environment?: string
  readonly release?: string
  readonly service?: string
  readonly stamp?: string
  readonly level?: string
  /** `null`: the event does not say. */
  readonly handled?: boolean | null
  readonly trace?: string
  readonly segment?: string
  readonly event?: string
  readonly lifecycle?: 'static' | 'stream' | 'otlp'
  /** The type of any item of the envelope. */
  readonly type?: string
  readonly endpoint?: Endpoint
  readonly deliveryStatus?: DeliveryStatusName
  readonly sdk?: string
  /** The HTTP status of a delivery attempt; `null`: no answer came. */
  readonly answer?: number | null
  readonly upstream?: string
  readonly envelope?: number
  readonly category?: string
  readonly outcome?: Outcome
  readonly reason?: string
}

export const hasFields = <Field extends keyof ListFilter>(
  row: { readonly [Name in Field]: unknown },
  filter: ListFilter,
  fields: readonly Field[],
): boolean => fields.every((field) => filter[field] === undefined || filter[field] === row[field])

/** @param us `null` when the row has no time: it matches only filters without time bounds. */
export const isWithin = (us: number | null, { sinceUs, untilUs }: ListFilter): boolean =>
  us === null
    ? sinceUs === undefined && untilUs === undefined
    : (sinceUs === undefined || us >= sinceUs) && (untilUs === undefined || us < untilUs)

/** Time bounds for a statement. Infinite when not set, because stored times may exceed the safe integers. */
export const timeBounds = ({ sinceUs, untilUs }: ListFilter) => ({
  sinceUs: sinceUs ?? Number.NEGATIVE_INFINITY,
  untilUs: untilUs ?? Number.POSITIVE_INFINITY,
})

export const isOfDuration = (us: number, { minDurationUs, maxDurationUs }: ListFilter): boolean =>
  (minDurationUs === undefined || us >= minDurationUs) && (maxDurationUs === undefined || us <= maxDurationUs)

/** The status of a segment or span. The static lifecycle has many statuses; all that are not a success are errors. */
export function statusOf(sent: string | null): Status {
  if (sent === null || sent === 'unset') return 'unset'
  return NO_ERRORS.some((fine) => fine === sent) ? 'ok' : 'error'
}

/** A trace with an error event matches `error`, besides the status of its segments. */
export function traceHasStatus(
  status: Status,
  trace: { readonly status: string | null; readonly errorCount: number },
): boolean {
  return status === (trace.status ?? 'unset') || (status === 'error' && trace.errorCount > 0)
}

/** The texts of an event that `text=` searches. The digest splits the same texts into terms. */
export const eventTexts = ({
  title,
  transaction,
}: Pick<EventRow, 'title' | 'transaction'>): readonly (string | null)[] => [title, transaction]

/** The texts of a signal that `text=` searches: its name and the text fields of its kind (e-mail address, monitor). */
export const signalTexts = ({ name, fields }: Pick<Signal, 'name' | 'fields'>): readonly string[] => [
  name,
  ...Object.values(fields).filter((value) => typeof value === 'string'),
]
