import { text } from '../../lib/protocol/json'
import { hasWords } from '../../lib/protocol/search-words'
import type { Segment } from '../../lib/protocol/trace/segment'
import { isOfDuration, statusOf } from './described'
import type { ListFilter } from './list-filter'
import { isWithin } from './list-page'
import type { ToldSpan } from './told-span'

/** A span with what it inherits from its segment. */
export interface SituatedSpan extends ToldSpan {
  readonly environment: string | null
  readonly release: string | null
}

/** A streamed span says itself where it was; one of a transaction was where its segment was. */
export function situated(
  told: ToldSpan,
  segment: Pick<Segment, 'environment' | 'release' | 'lifecycle'> | null,
): SituatedSpan {
  // Rows say of a transaction where it was, and rule all its spans out by that.
  const attributes = segment?.lifecycle === 'static' ? {} : told.span.attributes
  return {
    ...told,
    environment: text(attributes['sentry.environment']) ?? segment?.environment ?? null,
    release: text(attributes['sentry.release']) ?? segment?.release ?? null,
  }
}

/** Is it what is wanted? What the record alone says, its stamp, is not looked at. */
export function matches({ span, environment, release }: SituatedSpan, wanted: ListFilter): boolean {
  return (
    isSame(wanted.trace, span.traceId) &&
    isSame(wanted.segment, span.segmentId) &&
    isSame(wanted.op, span.op) &&
    isSame(wanted.name, span.name) &&
    isSame(wanted.service, span.service) &&
    isSame(wanted.environment, environment) &&
    isSame(wanted.release, release) &&
    isSame(wanted.status, statusOf(span.status)) &&
    isOfDuration(span.endUs - span.startUs, wanted) &&
    isWithin(span.startUs, wanted) &&
    (wanted.text === undefined || hasWords(wanted.text, textsOf(span)))
  )
}

const isSame = (wanted: string | undefined, found: string | null): boolean => wanted === undefined || wanted === found

/** Its name and the attributes that are text. */
const textsOf = ({ name, attributes }: ToldSpan['span']): readonly string[] => [
  name,
  ...Object.values(attributes).filter((value) => typeof value === 'string'),
]
