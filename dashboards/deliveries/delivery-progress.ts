import { formatDurationMs } from '../../lib/format'
import type { DeliveryStatusName } from '../../lib/protocol/outcome'
import type { EnvelopeSummary } from '../../lib/wire/envelope'
import { deliveryStatusText, triesText } from '../ui/status-text'

export interface ProgressStep {
  readonly name: 'stored' | 'digested' | 'posted' | 'decided'
  /** `skipped`: the step does not apply, such as a post without an upstream. */
  readonly state: 'done' | 'open' | 'failed' | 'skipped'
}

export interface DeliveryProgress {
  readonly steps: readonly ProgressStep[]
  readonly word: string
  readonly meaning: string
}

const DECIDED: Readonly<Record<DeliveryStatusName, ProgressStep['state']>> = {
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

export const PROGRESS_LEGEND: readonly { readonly state: ProgressStep['state']; readonly meaning: string }[] = [
  { state: 'done', meaning: 'done' },
  { state: 'open', meaning: 'not yet' },
  { state: 'failed', meaning: 'failed: not digested, not accepted, or lost' },
  { state: 'skipped', meaning: 'does not apply, such as a post without an upstream' },
]

type Progressing = Pick<
  EnvelopeSummary,
  'receivedAt' | 'digestedAt' | 'digest' | 'deliveries' | 'lastDelivery' | 'deliveryStatus'
>

/** How far an envelope is: stored, digested, posted, decided. Digest and relay run independently. */
export function deliveryProgress(envelope: Progressing): DeliveryProgress {
  const { digest, deliveries, deliveryStatus, lastDelivery } = envelope
  const isDeadLetter = deliveryStatus.name === 'pending' && deliveryStatus.reason === 'dead_letter'
  const isDecided = deliveryStatus.name !== 'pending'
  const isAccepted = lastDelivery?.status !== null && lastDelivery?.status !== undefined && lastDelivery.status < 300
  const posted = (): ProgressStep['state'] => {
    if (deliveries === 0) return isDecided ? 'skipped' : 'open'
    return isAccepted || (isDecided && deliveryStatus.name !== 'expired') ? 'done' : 'failed'
  }
  return {
    steps: [
      { name: 'stored', state: 'done' },
      { name: 'digested', state: digest === 'undigested' ? 'failed' : digest === 'pending' ? 'open' : 'done' },
      { name: 'posted', state: posted() },
      { name: 'decided', state: isDeadLetter ? 'failed' : DECIDED[deliveryStatus.name] },
    ],
    word: furthestStep(envelope, isDecided, isDeadLetter),
    meaning: sentence(envelope),
  }
}

function furthestStep(
  { digest, deliveries, deliveryStatus }: Progressing,
  isDecided: boolean,
  isDeadLetter: boolean,
): string {
  if (isDeadLetter) return 'refused'
  if (deliveryStatus.name === 'copy') return 'shown'
  if (isDecided) return 'decided'
  if (deliveries > 0) return triesText(deliveries)
  return digest === 'pending' ? 'stored' : 'digested'
}

function sentence({ receivedAt, digestedAt, deliveries, deliveryStatus }: Progressing): string {
  const digested =
    digestedAt === null ? 'not digested yet' : `digested after ${formatDurationMs(digestedAt - receivedAt)}`
  const posted = deliveries === 0 ? 'never posted' : triesText(deliveries)
  return `Stored, ${digested}, ${posted}, ${deliveryStatusText(deliveryStatus).word}.`
}
