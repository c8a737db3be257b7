import type { DeliveryStatusName } from '../../lib/protocol/outcome'
import type { CollectorClient } from '../../lib/wire/collector-client'
import type { EnvelopeSummary, EnvelopesPage } from '../../lib/wire/envelope'

const PAGE = 200
/** All items of an envelope whose status is one of these have it, or one that is as good. */
const EVEN: ReadonlySet<DeliveryStatusName> = new Set(['accepted', 'kept', 'copy'])

/**
 * What became of some envelopes, item by item; those that are gone are left out.
 * @param ask asks the collector once, with its timeout
 */
export async function readDeliveryStatuses(
  seqs: readonly number[],
  client: Pick<CollectorClient, 'envelopes' | 'envelope'>,
  ask: <Answer>(of: (signal: AbortSignal) => Promise<Answer>) => Promise<Answer>,
): Promise<readonly Pick<EnvelopeSummary, 'seq' | 'deliveryStatus' | 'lastDelivery' | 'items'>[]> {
  const wanted = new Set(seqs)
  const oldest = seqs.reduce((least, seq) => Math.min(least, seq), Number.POSITIVE_INFINITY)
  const found: Pick<EnvelopeSummary, 'seq' | 'deliveryStatus' | 'lastDelivery' | 'items'>[] = []
  let cursor: string | null = null
  while (found.length < wanted.size) {
    const from: string | null = cursor
    const { envelopes, next }: EnvelopesPage = await ask((signal) =>
      client.envelopes({ limit: PAGE, cursor: from, signal }),
    )
    for (const envelope of envelopes) {
      if (!wanted.has(envelope.seq)) continue
      // Without rows a list does not tell item by item, and one that was lost would speak for all of its envelope.
      const isWhole = envelope.items.length > 0 || EVEN.has(envelope.deliveryStatus.name)
      const whole = isWhole ? null : await ask((signal) => client.envelope(envelope.seq, signal))
      found.push(whole ?? envelope)
    }
    const last = envelopes.at(-1)
    if (next === null || (last !== undefined && last.seq <= oldest)) break
    cursor = next
  }
  return found
}
