import { formatDurationMs } from '../../lib/format'
import type { DeliveryStatusName } from '../../lib/protocol/outcome'
import type { EnvelopeSummary } from '../../lib/wire/envelope'
import { deliveryStatusText, triesText } from '../../lib/wire/status-text'

export interface ProgressStep {
  readonly name: 'stored' | 'digested' | 'posted' | 'outcome'
  /** `lost`: not delivered, though nothing failed. `skipped`: the step does not apply, such as a post without an upstream. */
  readonly state: 'done' | 'open' | 'failed' | 'lost' | 'skipped'
}

export interface DeliveryProgress {
  readonly steps: readonly ProgressStep[]
  readonly word: string
  readonly meaning: string
}

const OUTCOME: Readonly<Record<DeliveryStatusName, ProgressStep['state']>> = {
  pending: 'open',
  accepted: 'done',
  kept: 'done',
  copy: 'skipped',
  filtered: 'lost',
  rate_limited: 'lost',
  invalid: 'failed',
  overflow: 'lost',
  expired: 'failed',
  dropped: 'lost',
}

export const PROGRESS_LEGEND: readonly { readonly state: ProgressStep['state']; readonly meaning: string }[] = [
  { state: 'done', meaning: 'done' },
  { state: 'open', meaning: 'not yet' },
  { state: 'failed', meaning: 'failed: not digested, refused, or expired' },
  { state: 'lost', meaning: 'lost: rate limited, filtered, or dropped' },
  { state: 'skipped', meaning: 'does not apply, such as a post without an upstream' },
]

type Progressing = Pick<
  EnvelopeSummary,
  'receivedAt' | 'digestedAt' | 'digest' | 'deliveries' | 'lastDelivery' | 'deliveryStatus'
>

/** How far an envelope is: stored, digested, posted, and its outcome. Digest and relay run independently. */
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
      { name: 'outcome', state: isDeadLetter ? 'failed' : OUTCOME[deliveryStatus.name] },
    ],
    word: furthestStep(envelope, posted() === 'done'),
    meaning: sentence(envelope),
  }
}

/** Not the outcome, which has a column of its own. */
function furthestStep({ digest, deliveries, deliveryStatus: { name } }: Progressing, isPosted: boolean): string {
  if (name === 'copy') return 'shown'
  if (deliveries > 0) return isPosted ? 'posted' : triesText(deliveries)
  if (name !== 'pending') return 'not posted'
  return digest === 'pending' ? 'stored' : 'waiting'
}

function sentence({ receivedAt, digestedAt, deliveries, deliveryStatus }: Progressing): string {
  const digested =
    digestedAt === null ? 'not digested yet' : `digested after ${formatDurationMs(digestedAt - receivedAt)}`
  const posted = deliveries === 0 ? 'never posted' : triesText(deliveries)
  return `Stored, ${digested}, ${posted}, ${deliveryStatusText(deliveryStatus).word}.`
}
