import type { Signal } from '../protocol/items/signal'
import type { DeliveryStatusName, Outcome } from '../protocol/outcome'
import type { Endpoint } from '../protocol/request'
import { hasPhrase, hasTokens } from '../protocol/search-tokens'
import { NO_ERRORS } from '../protocol/trace/span-status'
import type { EventRow } from '../protocol/traversal/rows'

/** A trace with an error event also has the status `error`. `unset` includes senders that set no status. */
export type Status = 'ok' | 'error' | 'unset'

/** Conditions on values of one row. `undefined` matches everything. Times are µs; only `untilUs` is exclusive. */
interface RowConditions {
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
  /** Telemetry of Waystation's own app, the lab excepted. */
  readonly own?: boolean
  /** The page header of the sender, random per page load. */
  readonly page?: string
  readonly project?: string
  /** The beginnings of values. */
  readonly starts?: { readonly [Field in StartField]?: string }
  /** Whole words in this order, in lower case, which a name or message must contain. */
  readonly phrases?: readonly string[]
  readonly muted?: 'no' | 'only' | 'all'
}

/** Fields that can be filtered by the beginning of their value. */
export const START_FIELDS = [
  'op',
  'name',
  'environment',
  'release',
  'service',
  'level',
  'page',
  'project',
  'stamp',
  'type',
  'upstream',
] as const
export type StartField = (typeof START_FIELDS)[number]

/** All conditions must hold. */
export interface ListFilter extends RowConditions {
  /** Of each group at least one. */
  readonly any?: readonly (readonly RowConditions[])[]
  /** None of these. */
  readonly not?: readonly RowConditions[]
}

/** Compares a row with a whole filter. @param matches compares it with the conditions of one part. */
export const matchesWhole =
  <Row>(filter: ListFilter, matches: (row: Row, part: RowConditions) => boolean) =>
  (row: Row): boolean =>
    matches(row, filter) &&
    (filter.any ?? []).every((group) => group.some((one) => matches(row, one))) &&
    !(filter.not ?? []).some((one) => matches(row, one))

/** @param value `null` begins with nothing. */
export const startsAs = (value: string | null, start: string | undefined): boolean =>
  start === undefined || value?.startsWith(start) === true

export const hasFields = <Field extends keyof ListFilter>(
  row: { readonly [Name in Field]: unknown },
  filter: ListFilter,
  fields: readonly Field[],
): boolean =>
  fields.every((field) => {
    const start = isStartField(field) ? filter.starts?.[field] : undefined
    return (
      (filter[field] === undefined || filter[field] === row[field]) &&
      (start === undefined || (typeof row[field] === 'string' && row[field].startsWith(start)))
    )
  })

const isStartField = (field: string): field is StartField => START_FIELDS.some((one) => one === field)

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

/** Compares the words and phrases of a filter with the texts of a row, which are read only if there are any. */
export const hasTexts = ({ text, phrases = [] }: ListFilter, read: () => readonly (string | null)[]): boolean => {
  if (text === undefined && phrases.length === 0) return true
  const texts = read()
  return (text === undefined || hasTokens(text, texts)) && phrases.every((phrase) => hasPhrase(phrase, texts))
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
