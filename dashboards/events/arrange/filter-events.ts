import type { EventSummary } from '../../../lib/wire/event'
import { fateWords } from '../../words/fates'
import { filterRows } from '../../words/filter-rows'
import { handledWord } from './event-words'

/** The events in which every word of the filter occurs. */
export const filterEvents = (events: readonly EventSummary[], filter: string): readonly EventSummary[] =>
  filterRows(events, filter, textsOf)

function textsOf(event: EventSummary): readonly (string | null)[] {
  const { title, level, service, transaction, environment, release, digest, eventId, traceId, fate } = event
  return [
    title,
    level,
    handledWord(event),
    service,
    transaction,
    environment,
    release,
    digest,
    eventId,
    traceId ?? 'no trace',
    fateWords(fate.name).word,
  ]
}
