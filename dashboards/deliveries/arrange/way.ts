import type { EnvelopeSummary } from '../../../lib/wire/envelope'
import { triesWords } from '../../words/answers'
import { wordsOfFate } from '../../words/fates'
import { formatDuration } from '../../words/quantities'

export interface WayStep {
  readonly name: 'stored' | 'digested' | 'posted' | 'decided'
  /** `skipped`: it is not to be, such as a post where nothing is owed. */
  readonly state: 'done' | 'open' | 'failed' | 'skipped'
}

export interface Way {
  readonly steps: readonly WayStep[]
  /** The furthest it has come. */
  readonly word: string
  /** All of it in a sentence, for a title. */
  readonly means: string
}

type OnItsWay = Pick<EnvelopeSummary, 'receivedAt' | 'digestedAt' | 'digest' | 'deliveries' | 'lastDelivery' | 'fate'>

/** How far an envelope is: stored, digested, posted, decided. Digest and post do not wait for each other. */
export function wayOf(envelope: OnItsWay): Way {
  const { digest, deliveries, fate, lastDelivery } = envelope
  const isDead = fate.name === 'pending' && fate.reason === 'dead_letter'
  const isDecided = fate.name !== 'pending'
  const took = lastDelivery?.status !== null && lastDelivery?.status !== undefined && lastDelivery.status < 300
  const digested: WayStep['state'] = digest === 'undigested' ? 'failed' : digest === 'pending' ? 'open' : 'done'
  const posted: WayStep['state'] =
    deliveries === 0 ? (isDecided ? 'skipped' : 'open') : took || isDecided ? 'done' : 'failed'
  return {
    steps: [
      { name: 'stored', state: 'done' },
      { name: 'digested', state: digested },
      { name: 'posted', state: posted },
      { name: 'decided', state: isDecided ? 'done' : isDead ? 'failed' : 'open' },
    ],
    word: wordOf(envelope, isDecided, isDead),
    means: sentenceOf(envelope),
  }
}

function wordOf({ digest, deliveries, fate }: OnItsWay, isDecided: boolean, isDead: boolean): string {
  if (isDead) return 'refused'
  if (fate.name === 'copy') return 'shown'
  if (isDecided) return 'decided'
  if (deliveries > 0) return triesWords(deliveries)
  return digest === 'pending' ? 'stored' : 'digested'
}

function sentenceOf({ receivedAt, digestedAt, deliveries, fate }: OnItsWay): string {
  const digested =
    digestedAt === null ? 'not digested yet' : `digested ${formatDuration((digestedAt - receivedAt) * 1000)} later`
  const posted = deliveries === 0 ? 'never posted' : triesWords(deliveries)
  return `Stored, ${digested}, ${posted}, ${wordsOfFate(fate).word}.`
}
