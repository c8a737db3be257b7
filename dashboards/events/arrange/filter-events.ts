import type { EventSummary } from '../../../lib/wire/event'
import { fateWords } from '../../words/fates'
import { handledWord } from './event-words'

/** The events in which every word of the filter occurs. */
export function filterEvents(events: readonly EventSummary[], filter: string): readonly EventSummary[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return events
  return events.filter((event) => {
    const text = textOf(event)
    return words.every((word) => text.includes(word))
  })
}

function textOf(event: EventSummary): string {
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
    .filter((part) => part !== null)
    .join('\n')
    .toLowerCase()
}
