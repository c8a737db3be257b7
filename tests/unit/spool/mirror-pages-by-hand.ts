import type { JournalPage, MirrorCursor, MirroredRecord } from '../../../collector/spool/mirror/journal-page'
import { checksumOf } from '../../../collector/spool/record-body'
import type { JournalFact } from '../../../lib/wire/journal'
import { accepted, submission } from './in-process-spool'

/** A record as the shared journal has it. */
export function mirrored(seq: number, more: Partial<MirroredRecord> = {}): MirroredRecord {
  const body = more.body ?? submission({ size: 100 }).body
  const [facts, quantities] = [JSON.stringify(submission().facts), '[["error",1]]']
  return {
    seq,
    receipt: `shared-${seq}`,
    receivedAt: 1,
    endpoint: 'envelope',
    project: '1',
    publicKey: 'key',
    stamp: null,
    facts,
    quantities,
    reportedLimits: null,
    bytes: body.length,
    deflated: false,
    checksum: checksumOf({ body, facts, quantities }),
    body,
    status: 'pending',
    storedBytes: 1000,
    ...more,
  }
}

type Step =
  | { readonly received: Partial<MirroredRecord> }
  | { readonly delivered: number; readonly status?: number; readonly becameDead?: boolean }
  | { readonly decided: number; readonly outcome?: string; readonly reason?: string | null }
  | { readonly pending: number }
  | { readonly kind: JournalFact['kind'] }

/** A page of these facts. The number of each follows that of the one before it. */
export function pageOf(
  from: MirrorCursor,
  steps: readonly Step[],
  more: Partial<Pick<JournalPage, 'changes' | 'totals'>> = {},
): JournalPage {
  const facts: JournalPage['facts'][number][] = []
  const records: MirroredRecord[] = []
  const attempts: JournalPage['attempts'][number][] = []
  const outcomes: JournalPage['outcomes'][number][] = []
  for (const [at, step] of steps.entries()) {
    const n = from.n + 1 + at
    const add = (kind: JournalFact['kind'], seq: number | null): void => {
      facts.push({ n, at: 1000 + n, kind, seq })
    }
    if ('received' in step) {
      records.push(mirrored(n, step.received))
      add('received', n)
    } else if ('delivered' in step) {
      const { delivered: seq, status = 503, becameDead = false } = step
      attempts.push({ n, attempt: accepted(seq, { status, decision: null }), becameDead })
      add('delivered', seq)
    } else if ('decided' in step) {
      const { decided: seq, outcome = 'accepted', reason = null } = step
      outcomes.push({ seq, item: -1, outcome, reason, at: 1000 + n })
      add('decided', seq)
    } else if ('pending' in step) add('pending', step.pending)
    else add(step.kind, null)
  }
  const n = from.n + steps.length
  return {
    from,
    upTo: { n, batch: `batch-${n}` },
    facts,
    records,
    attempts,
    outcomes,
    totals: [],
    changes: [],
    ...more,
  }
}

export const START: MirrorCursor = { n: 0, batch: null }
