import type { DeliveryStatusName } from '../../lib/protocol/outcome'
import { runWithTimeout } from '../../lib/time'
import { truncate } from '../../lib/verdict/text'
import type { CollectorClient } from '../../lib/wire/collector-client'
import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import { worstDeliveryStatus } from '../../lib/wire/worst-delivery-status'
import { ANSWER_TIMEOUT_MS } from './collector-connection'

const LONG_POLL_S = 25

/** A line about an envelope that upstream did not accept. */
interface OutcomeLine {
  readonly text: string
  readonly json: string
}

/** How many envelopes wait for their outcome; with more, the oldest are forgotten. */
const MOST_EXPECTED = 5_000
/** Needs no line: `accepted` is the normal outcome, and the line of the item contains the others. */
const WITHOUT_LINE: ReadonlySet<DeliveryStatusName> = new Set(['accepted', 'kept', 'copy'])

/** Reports the outcomes of envelopes that upstream does not accept. @param now ms since the epoch */
export function followOutcomes(given: {
  readonly client: Pick<CollectorClient, 'facts' | 'outcomesOf' | 'envelope'>
  readonly stop: AbortSignal
  readonly now: () => number
}): {
  readonly expect: (seq: number) => void
  /** Follows the journal until it is stopped. @throws what the client throws when the collector is gone */
  readonly follow: (after: number, onOutcome: (line: OutcomeLine) => void) => Promise<void>
} {
  const { client, stop, now } = given
  const expected = new Set<number>()
  /** Envelopes whose outcome came before `expect` was called for them: the journal is read ahead of the record. */
  const decided = new Set<number>()
  let report: (line: OutcomeLine) => void = () => undefined
  let work: Promise<void> = Promise.resolve()

  const readOutcome = async (seq: number): Promise<void> => {
    decided.delete(seq)
    // One delivery writes several facts, but gets one line.
    if (!expected.has(seq)) return
    const status = await runWithTimeout(ANSWER_TIMEOUT_MS, stop, (signal) => deliveryStatusOf(seq, client, signal))
    // A retry will write another fact.
    if (status === null || (status.name === 'pending' && status.reason === null)) return
    expected.delete(seq)
    if (!WITHOUT_LINE.has(status.name)) report(outcomeLine(seq, status, now()))
  }
  const readIfDecided = (seq: number): void => {
    if (!expected.has(seq) || !decided.has(seq)) return
    work = work.then(() => (stop.aborted ? undefined : readOutcome(seq)))
    // `follow` awaits it and throws the error.
    work.catch(() => undefined)
  }
  return {
    expect: (seq) => {
      addWithin(expected, seq)
      readIfDecided(seq)
    },
    follow: async (from, onOutcome) => {
      report = onOutcome
      try {
        for (let after = from; !stop.aborted; ) {
          const position = after
          const page = await runWithTimeout(LONG_POLL_S * 1000 + ANSWER_TIMEOUT_MS, stop, (signal) =>
            client.facts(position, LONG_POLL_S, signal),
          )
          for (const { kind, seq } of page.facts) {
            if (seq === null || (kind !== 'delivered' && kind !== 'decided')) continue
            addWithin(decided, seq)
            readIfDecided(seq)
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

/** Adds a number, and removes the oldest ones beyond the limit. */
function addWithin(set: Set<number>, seq: number): void {
  set.add(seq)
  for (const oldest of set) {
    if (set.size <= MOST_EXPECTED) return
    set.delete(oldest)
  }
}

/** Reads the worst outcome of an envelope. A dead letter has none, but a status. Null: the envelope was evicted. */
async function deliveryStatusOf(
  seq: number,
  client: Pick<CollectorClient, 'outcomesOf' | 'envelope'>,
  stop: AbortSignal,
): Promise<DeliveryStatus | null> {
  const answer = await client.outcomesOf(seq, stop)
  if (answer !== null && answer.outcomes.length > 0)
    return worstDeliveryStatus(answer.outcomes.map(({ outcome, reason }) => ({ name: outcome, reason })))
  return (await client.envelope(seq, stop))?.deliveryStatus ?? null
}

function outcomeLine(seq: number, { name, reason }: DeliveryStatus, at: number): OutcomeLine {
  const time = new Date(at).toISOString().slice(11, 23)
  return {
    text: `${time} -        outcome       ${truncate(reason ?? name, 80)} #${seq} ✗ ${name}`,
    json: JSON.stringify({ kind: 'outcome', seq, outcome: name, reason, at }),
  }
}
