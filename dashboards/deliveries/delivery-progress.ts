import { formatDurationMs } from '../../lib/format'
import type { DeliveryStatusName } from '../../lib/protocol/outcome'
import type { EnvelopeSummary } from '../../lib/wire/envelope'
import { triesWords, wordsOfDeliveryStatus } from '../ui/status-text'

export interface WayStep {
  readonly name: 'stored' | 'digested' | 'posted' | 'decided'
  /** `skipped`: it is not to be, such as a post where nothing is pending. */
  readonly state: 'done' | 'open' | 'failed' | 'skipped'
}

export interface Way {
  readonly steps: readonly WayStep[]
  /** The furthest it has come. */
  readonly word: string
  /** All of it in a sentence, for a title. */
  readonly means: string
}

/** How the way ends: it arrived where it should, or it did not; a copy was never to be decided. */
const ENDS: Readonly<Record<DeliveryStatusName, WayStep['state']>> = {
  pending: 'open',
  accepted: 'done',
  kept: 'done',
  copy: 'skipped',
  filtered: 'failed',
  rate_limited: 'failed',
  invalid: 'failed',
  overflow: 'failed',
  expired: 'failed',
  dropped: 'failed',
}

/** What the four marks are, in their order, and what the shape of one says. */
export const WAY_LEGEND: readonly { readonly state: WayStep['state']; readonly means: string }[] = [
  { state: 'done', means: 'done' },
  { state: 'open', means: 'not yet' },
  { state: 'failed', means: 'failed: not digested, not taken, or lost' },
  { state: 'skipped', means: 'not to be, such as a post where nothing is pending' },
]

type OnItsWay = Pick<
  EnvelopeSummary,
  'receivedAt' | 'digestedAt' | 'digest' | 'deliveries' | 'lastDelivery' | 'deliveryStatus'
>

/** How far an envelope is: stored, digested, posted, decided. Digest and post do not wait for each other. */
export function wayOf(envelope: OnItsWay): Way {
  const { digest, deliveries, deliveryStatus, lastDelivery } = envelope
  const isDead = deliveryStatus.name === 'pending' && deliveryStatus.reason === 'dead_letter'
  const isDecided = deliveryStatus.name !== 'pending'
  const took = lastDelivery?.status !== null && lastDelivery?.status !== undefined && lastDelivery.status < 300
  const digested: WayStep['state'] = digest === 'undigested' ? 'failed' : digest === 'pending' ? 'open' : 'done'
  const posted: WayStep['state'] =
    deliveries === 0
      ? isDecided
        ? 'skipped'
        : 'open'
      : took || (isDecided && deliveryStatus.name !== 'expired')
        ? 'done'
        : 'failed'
  return {
    steps: [
      { name: 'stored', state: 'done' },
      { name: 'digested', state: digested },
      { name: 'posted', state: posted },
      { name: 'decided', state: isDead ? 'failed' : ENDS[deliveryStatus.name] },
    ],
    word: wordOf(envelope, isDecided, isDead),
    means: sentenceOf(envelope),
  }
}

function wordOf({ digest, deliveries, deliveryStatus }: OnItsWay, isDecided: boolean, isDead: boolean): string {
  if (isDead) return 'refused'
  if (deliveryStatus.name === 'copy') return 'shown'
  if (isDecided) return 'decided'
  if (deliveries > 0) return triesWords(deliveries)
  return digest === 'pending' ? 'stored' : 'digested'
}

function sentenceOf({ receivedAt, digestedAt, deliveries, deliveryStatus }: OnItsWay): string {
  const digested =
    digestedAt === null ? 'not digested yet' : `digested ${formatDurationMs(digestedAt - receivedAt)} later`
  const posted = deliveries === 0 ? 'never posted' : triesWords(deliveries)
  return `Stored, ${digested}, ${posted}, ${wordsOfDeliveryStatus(deliveryStatus).word}.`
}
