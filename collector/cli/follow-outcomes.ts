import type { DeliveryStatusName } from '../../lib/protocol/outcome'
import { runWithTimeout } from '../../lib/time'
import { truncate } from '../../lib/verdict/text'
import type { CollectorClient } from '../../lib/wire/collector-client'
import { type DeliveryStatus, worstDeliveryStatus } from '../../lib/wire/delivery-status'
import { ANSWER_TIMEOUT_MS } from './asked-collector'

/** One envelope that upstream did not take as it was. */
export interface OutcomeLine {
  readonly text: string
  readonly json: string
}

const LONG_POLL_S = 25
/** Envelopes whose outcome is waited for; of more the oldest are forgotten. */
const MOST_EXPECTED = 5_000
/** These are as they should be, or told already. */
const QUIET: ReadonlySet<DeliveryStatusName> = new Set(['accepted', 'kept', 'copy'])

/**
 * Tells what becomes of envelopes that were told: only of what is not accepted.
 * @param now ms since the epoch
 */
export function followOutcomes(given: {
  readonly client: Pick<CollectorClient, 'facts' | 'outcomesOf' | 'envelope'>
  readonly stop: AbortSignal
  readonly now: () => number
}): {
  /** An envelope of which an item was told. */
  readonly expect: (seq: number) => void
  /** Follows the journal until it is stopped. @throws what the client throws, when the collector is gone */
  readonly follow: (after: number, tell: (line: OutcomeLine) => void) => Promise<void>
} {
  const { client, stop, now } = given
  const expected = new Set<number>()
  /** Decided before their items were told: record and journal are followed apart. */
  const decided = new Set<number>()
  let tell: (line: OutcomeLine) => void = () => undefined
  let work: Promise<void> = Promise.resolve()

  const look = async (seq: number): Promise<void> => {
    decided.delete(seq)
    // One post has several facts, and is told once.
    if (!expected.has(seq)) return
    const deliveryStatus = await runWithTimeout(ANSWER_TIMEOUT_MS, stop, (signal) =>
      deliveryStatusOf(seq, client, signal),
    )
    // One that is tried again is told of by its next fact.
    if (deliveryStatus === null || (deliveryStatus.name === 'pending' && deliveryStatus.reason === null)) return
    expected.delete(seq)
    if (!QUIET.has(deliveryStatus.name)) tell(lineOf(seq, deliveryStatus, now()))
  }
  const lookAtBoth = (seq: number): void => {
    if (!expected.has(seq) || !decided.has(seq)) return
    work = work.then(() => (stop.aborted ? undefined : look(seq)))
    // Whoever follows awaits it, and is told then.
    work.catch(() => undefined)
  }
  return {
    expect: (seq) => {
      remember(expected, seq)
      lookAtBoth(seq)
    },
    follow: async (from, onOutcome) => {
      tell = onOutcome
      try {
        for (let after = from; !stop.aborted; ) {
          const behind = after
          const page = await runWithTimeout(LONG_POLL_S * 1000 + ANSWER_TIMEOUT_MS, stop, (signal) =>
            client.facts(behind, LONG_POLL_S, signal),
          )
          for (const { kind, seq } of page.facts) {
            if (seq === null || (kind !== 'delivered' && kind !== 'decided')) continue
            remember(decided, seq)
            lookAtBoth(seq)
          }
          await work
          after = page.next
        }
      } catch (cause) {
        if (!stop.aborted) throw cause
      }
    },
  }
}

function remember(set: Set<number>, seq: number): void {
  set.add(seq)
  for (const oldest of set) {
    if (set.size <= MOST_EXPECTED) return
    set.delete(oldest)
  }
}

/** What became of it: the worst of its items' outcomes; a dead letter has none, and says so itself. `null`: it is gone. */
async function deliveryStatusOf(
  seq: number,
  client: Pick<CollectorClient, 'outcomesOf' | 'envelope'>,
  stop: AbortSignal,
): Promise<DeliveryStatus | null> {
  const told = await client.outcomesOf(seq, stop)
  if (told !== null && told.outcomes.length > 0)
    return worstDeliveryStatus(told.outcomes.map(({ outcome, reason }) => ({ name: outcome, reason })))
  return (await client.envelope(seq, stop))?.deliveryStatus ?? null
}

function lineOf(seq: number, { name, reason }: DeliveryStatus, at: number): OutcomeLine {
  const time = new Date(at).toISOString().slice(11, 23)
  return {
    text: `${time} -        outcome       ${truncate(reason ?? name, 80)} #${seq} ✗ ${name}`,
    json: JSON.stringify({ kind: 'outcome', seq, outcome: name, reason, at }),
  }
}
