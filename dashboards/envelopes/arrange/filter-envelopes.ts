import type { EnvelopeSummary } from '../../../lib/wire/envelope'
import { digestWords } from '../../words/digest-states'
import { doorWords } from '../../words/doors'
import { fateWords } from '../../words/fates'

/** The envelopes in which every word of the filter occurs. */
export function filterEnvelopes(envelopes: readonly EnvelopeSummary[], filter: string): readonly EnvelopeSummary[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return envelopes
  return envelopes.filter((envelope) => {
    const text = textOf(envelope)
    return words.every((word) => text.includes(word))
  })
}

function textOf({
  seq,
  door,
  sdk,
  eventId,
  traceId,
  environment,
  project,
  digest,
  fate,
  items,
}: EnvelopeSummary): string {
  return [
    String(seq),
    doorWords(door).word,
    sdk,
    eventId,
    traceId,
    environment,
    project,
    digestWords(digest).word,
    fateWords(fate.name).word,
    ...items.map((item) => item.type),
  ]
    .filter((part) => part !== null)
    .join('\n')
    .toLowerCase()
}
