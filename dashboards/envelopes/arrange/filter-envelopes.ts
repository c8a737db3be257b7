import type { EnvelopeSummary } from '../../../lib/wire/envelope'
import { digestWords } from '../../words/digest-states'
import { doorWords } from '../../words/doors'
import { fateWords } from '../../words/fates'
import { filterRows } from '../../words/filter-rows'

/** The envelopes in which every word of the filter occurs. */
export const filterEnvelopes = (envelopes: readonly EnvelopeSummary[], filter: string): readonly EnvelopeSummary[] =>
  filterRows(envelopes, filter, textsOf)

function textsOf({
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
}: EnvelopeSummary): readonly (string | null)[] {
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
}
