import type { Database } from 'better-sqlite3'
import type { LedgerEntry } from '../../../collector/spool/ledger/ledger-entries'
import type {
  JournalPage,
  MirrorCursor,
  MirroredAttempt,
  MirroredChange,
  MirroredRecord,
  MirroredTotal,
} from '../../../collector/spool/mirror/journal-page'
import type { Attempt, StoredLimit } from '../../../collector/spool/submission'
import type { ReportedLimit } from '../../../lib/protocol/submission'
import type { JournalFact } from '../../../lib/wire/journal'
import type { InProcessSpool } from './in-process-spool'

/** Bytes that a record counts for besides its body and texts. */
const OVERHEAD_BYTES = 512

interface Logged {
  readonly kind: string
  readonly seq: number | null
  readonly data: string
  readonly body: Uint8Array | null
}

interface PageContent {
  facts: JournalPage['facts'][number][]
  records: MirroredRecord[]
  attempts: MirroredAttempt[]
  outcomes: JournalPage['outcomes'][number][]
  totals: MirroredTotal[]
  changes: MirroredChange[]
}

/**
 * Makes pages of a shared journal from the rows that a spool writes, as triggers of its connection log them. The number of
 * each record becomes that of its `received` fact.
 */
export class PageRecorder {
  readonly #spool: () => InProcessSpool
  readonly #reported: ReadonlyMap<string, readonly ReportedLimit[]>
  readonly #numbers = new Map<number, number>()
  /** The last number at which a stamp was seen. */
  readonly #seen = new Map<string, number>()
  #db: Database | null = null
  #content = emptyContent()
  #cursor: MirrorCursor = { n: 0, batch: null }

  /** @param spool may be opened again @param reported the limits that answers reported, by receipt */
  constructor(spool: () => InProcessSpool, reported: ReadonlyMap<string, readonly ReportedLimit[]> = new Map()) {
    this.#spool = spool
    this.#reported = reported
    this.follow()
  }

  /** Call it before each write: the spool may have been opened again. */
  follow(): void {
    const { db } = this.#spool()
    if (db === this.#db) return
    this.#db = db
    db.exec(LOG)
    for (const trigger of TRIGGERS) db.exec(trigger)
  }

  /** The number of a record in the shared journal. */
  numberOf(seq: number): number {
    const number = this.#numbers.get(seq)
    if (number === undefined) throw new Error(`record ${seq} was not recorded`)
    return number
  }

  async storeLimits(limits: readonly StoredLimit[]): Promise<void> {
    await this.#spool().storeLimits(limits)
    const shared = limits.map((limit) => ({
      ...limit,
      sourceSeq: limit.sourceSeq === null ? null : this.numberOf(limit.sourceSeq),
    }))
    this.#content.changes.push({ kind: 'limits', limits: shared })
  }

  /** Reads the rows that were logged since. Call it after each write. */
  gather(): void {
    const db = this.#spool().db
    if (db !== this.#db) return
    const logged = db.prepare('SELECT kind, seq, data, body FROM temp.logged ORDER BY id').all() as Logged[]
    db.exec('DELETE FROM temp.logged')
    for (const { kind, seq, data } of logged)
      if (kind === 'record' && seq !== null) this.#numbers.set(seq, (JSON.parse(data) as { journal: number }).journal)
    const totals: (LedgerEntry & { readonly stamp: string | null })[] = []
    const stamps: { readonly stamp: string; readonly journal: number; readonly since: number }[] = []
    const firsts = new Map<number, string>()
    for (const { kind, seq } of logged)
      if (seq !== null && WITH_STATUS.has(kind) && !firsts.has(seq)) firsts.set(seq, kind)
    for (const one of logged) {
      const read = <Data>(): Data => JSON.parse(one.data) as Data
      if (one.kind === 'total') totals.push(read())
      else if (one.kind === 'stamp') stamps.push(read())
      else this.#add(one, one.seq !== null && firsts.get(one.seq) === 'pending')
    }
    this.#addTotals(totals, stamps)
  }

  /** Everything that was gathered since the last page; `null` when it has no facts. */
  page(): JournalPage | null {
    const from = this.#cursor
    const last = this.#content.facts.at(-1)
    if (last === undefined) return null
    this.#cursor = { n: last.n, batch: `batch-${last.n}` }
    const page = { from, upTo: this.#cursor, ...this.#content }
    this.#content = emptyContent()
    return page
  }

  #add({ kind, seq, data, body }: Logged, isPending: boolean): void {
    const read = <Data>(): Data => JSON.parse(data) as Data
    const { facts, records, attempts, outcomes, changes } = this.#content
    const shared = seq === null ? 0 : this.numberOf(seq)
    const [last, change] = [attempts.findLast(({ attempt }) => attempt.seq === shared), changes.at(-1)]
    switch (kind) {
      case 'fact':
        facts.push({ ...read<JournalFact>(), seq: seq === null ? null : shared })
        break
      case 'record':
        if (body !== null) records.push(this.#recordOf(read(), shared, body, isPending))
        break
      case 'attempt':
        attempts.push({ n: read<{ n: number }>().n, attempt: attemptOf(read(), shared), becameDead: false })
        break
      case 'dead':
        attempts[attempts.findLastIndex(({ attempt }) => attempt.seq === shared)] = {
          ...(last ?? missing('attempt')),
          becameDead: true,
        }
        break
      case 'outcome':
        outcomes.push({ ...read<JournalPage['outcomes'][number]>(), seq: shared })
        break
      case 'deleted':
        changes.push({ kind: 'deleted', seqs: [shared] })
        break
      case 'path':
        if (change?.kind === 'refusal') changes.splice(-1, 1, { ...change, ...read<{ path: string }>() })
        break
      case 'change':
        changes.push(read<MirroredChange>())
        break
    }
  }

  #recordOf(row: RecordData, seq: number, body: Uint8Array, isPending: boolean): MirroredRecord {
    const reported = this.#reported.get(row.receipt) ?? []
    return {
      ...row,
      seq,
      deflated: row.deflated === 1,
      body,
      reportedLimits: reported.length === 0 ? null : JSON.stringify(reported),
      status: row.endpoint === 'stream' ? 'copy' : isPending ? 'pending' : 'decided',
      storedBytes: body.length + row.facts.length + row.quantities.length + OVERHEAD_BYTES,
    }
  }

  /** Stamps get their own entries. The others make up the difference, without a stamp. */
  #addTotals(
    logged: readonly (LedgerEntry & { readonly stamp: string | null })[],
    stamps: readonly { readonly stamp: string; readonly journal: number; readonly since: number }[],
  ): void {
    const { totals } = this.#content
    const sights = stamps.flatMap(({ stamp, journal, since }) =>
      [...new Set([since, journal])].map((n) => ({ stamp, n })),
    )
    for (const { stamp, n } of sights.sort((one, other) => one.n - other.n)) {
      this.#seen.set(stamp, n)
      totals.push({ stamp, journal: n, category: 'error', entry: 'received', reason: '', quantity: 0, items: 0 })
    }
    for (const { stamp, ...entry } of logged) {
      if (stamp === null) {
        totals.push({ ...entry, stamp, journal: 0 })
        continue
      }
      totals.push({ ...entry, stamp, journal: this.#seen.get(stamp) ?? missing(`stamp ${stamp}`) })
      totals.push({ ...entry, stamp: null, journal: 0, quantity: -entry.quantity, items: -entry.items })
    }
  }
}

const emptyContent = (): PageContent => ({
  facts: [],
  records: [],
  attempts: [],
  outcomes: [],
  totals: [],
  changes: [],
})

function missing(name: string): never {
  throw new Error(`the log has no ${name}`)
}

/** Rows that show whether a record was pending on receipt. */
const WITH_STATUS: ReadonlySet<string> = new Set(['pending', 'outcome'])

interface RecordData
  extends Omit<MirroredRecord, 'seq' | 'body' | 'deflated' | 'status' | 'storedBytes' | 'reportedLimits'> {
  readonly deflated: number
}

interface AttemptData extends Omit<Attempt, 'seq' | 'form' | 'leftOut' | 'removed' | 'maybeDelivered'> {
  readonly form: string
  readonly leftOut: string | null
  readonly removed: string | null
  readonly maybeDelivered: number
}

const attemptOf = ({ form, leftOut, removed, maybeDelivered, ...rest }: AttemptData, seq: number): Attempt => ({
  ...rest,
  seq,
  form: form.split(' ') as Attempt['form'],
  leftOut: JSON.parse(leftOut ?? '[]') as Attempt['leftOut'],
  removed: JSON.parse(removed ?? '[]') as Attempt['removed'],
  maybeDelivered: maybeDelivered === 1,
  decision: null,
  dead: false,
  toReport: [],
})

const LOG = 'CREATE TEMP TABLE logged (id INTEGER PRIMARY KEY, kind TEXT, seq INTEGER, data TEXT, body BLOB)'

const onRow = (name: string, event: string, kind: string, seq: string, data: string, body = 'NULL'): string =>
  `CREATE TEMP TRIGGER ${name} AFTER ${event} BEGIN
    INSERT INTO logged (kind, seq, data, body) VALUES ('${kind}', ${seq}, json_object(${data}), ${body}); END`

const ENTRY = "'category', NEW.category, 'entry', NEW.entry, 'reason', NEW.reason"
const ADDED = "'quantity', NEW.quantity, 'items', NEW.items"
const GROWN = "'quantity', NEW.quantity - OLD.quantity, 'items', NEW.items - OLD.items"
const STAMP = "'stamp', NEW.stamp, 'journal', NEW.journal, 'since', NEW.since"
const SETTING = "'kind', 'setting', 'name', NEW.name, 'value', NEW.value"
const CUT = `'kind', 'cut', 'publicKey', NEW.public_key, 'project', NEW.project`
const discard = (quantity: string): string =>
  `'discards', json_array(json_object('reason', NEW.reason, 'category', NEW.category, 'quantity', ${quantity}))`
const counted = (of: string): string =>
  `'kind', 'pages', 'documents', CASE NEW.name WHEN 'documents' THEN ${of} ELSE 0 END,
    'pages', CASE NEW.name WHEN 'pages_posted' THEN ${of} ELSE 0 END`
const COUNTS_PAGES = "WHEN NEW.name IN ('documents', 'pages_posted')"
const IS_SHARED = "WHEN NEW.name <> 'rows_from'"

const TRIGGERS = [
  onRow('log_fact', 'INSERT ON journal', 'fact', 'NEW.seq', "'n', NEW.n, 'at', NEW.at, 'kind', NEW.kind"),
  onRow(
    'log_record',
    'INSERT ON submissions',
    'record',
    'NEW.seq',
    `'journal', NEW.journal, 'receipt', NEW.receipt, 'receivedAt', NEW.received_at, 'endpoint', NEW.endpoint, 'project', NEW.project,
      'publicKey', NEW.public_key, 'stamp', NEW.stamp, 'facts', NEW.facts, 'quantities', NEW.quantities, 'bytes', NEW.bytes,
      'deflated', NEW.deflated, 'checksum', NEW.checksum`,
    'NEW.body',
  ),
  onRow('log_deleted', 'DELETE ON submissions', 'deleted', 'OLD.seq', ''),
  onRow('log_pending', 'INSERT ON pending_deliveries', 'pending', 'NEW.seq', ''),
  onRow('log_dead', 'INSERT ON dead_letters', 'dead', 'NEW.seq', ''),
  onRow(
    'log_attempt',
    'INSERT ON deliveries',
    'attempt',
    'NEW.seq',
    `'n', NEW.journal, 'upstream', NEW.upstream, 'startedAt', NEW.started_at, 'endedAt', NEW.ended_at, 'status', NEW.status,
      'error', NEW.error, 'rateLimits', NEW.rate_limits, 'retryAfter', NEW.retry_after, 'answer', NEW.answer, 'form', NEW.form,
      'sha256', NEW.sha256, 'bytes', NEW.bytes, 'maybeDelivered', NEW.maybe_delivered, 'leftOut', NEW.left_out, 'removed', NEW.removed`,
  ),
  onRow(
    'log_outcome',
    'INSERT ON outcomes',
    'outcome',
    'NEW.seq',
    "'item', NEW.item, 'outcome', NEW.outcome, 'reason', NEW.reason, 'at', NEW.at",
  ),
  onRow('log_total', 'INSERT ON ledger_totals', 'total', 'NULL', `'stamp', NULL, ${ENTRY}, ${ADDED}`),
  onRow('log_total_grown', 'UPDATE ON ledger_totals', 'total', 'NULL', `'stamp', NULL, ${ENTRY}, ${GROWN}`),
  onRow('log_stamped', 'INSERT ON stamp_ledger_totals', 'total', 'NULL', `'stamp', NEW.stamp, ${ENTRY}, ${ADDED}`),
  onRow(
    'log_stamped_grown',
    'UPDATE ON stamp_ledger_totals',
    'total',
    'NULL',
    `'stamp', NEW.stamp, ${ENTRY}, ${GROWN}`,
  ),
  onRow('log_stamp', 'INSERT ON stamps', 'stamp', 'NULL', STAMP),
  onRow('log_stamp_seen', 'UPDATE ON stamps', 'stamp', 'NULL', STAMP),
  onRow(
    'log_refusal',
    'INSERT ON refusals',
    'change',
    'NULL',
    "'kind', 'refusal', 'reason', NEW.reason, 'bytes', NEW.bytes, 'path', NULL",
  ),
  onRow(
    'log_refusal_again',
    'UPDATE ON refusals',
    'change',
    'NULL',
    "'kind', 'refusal', 'reason', NEW.reason, 'bytes', NEW.bytes - OLD.bytes, 'path', NULL",
  ),
  onRow('log_path', 'INSERT ON refused_paths', 'path', 'NULL', "'path', NEW.path"),
  onRow('log_path_again', 'UPDATE ON refused_paths', 'path', 'NULL', "'path', NEW.path"),
  onRow('log_counter', `INSERT ON counters ${COUNTS_PAGES}`, 'change', 'NULL', counted('NEW.value')),
  onRow('log_counter_grown', `UPDATE ON counters ${COUNTS_PAGES}`, 'change', 'NULL', counted('NEW.value - OLD.value')),
  onRow('log_setting', `INSERT ON settings ${IS_SHARED}`, 'change', 'NULL', SETTING),
  onRow('log_setting_again', `UPDATE ON settings ${IS_SHARED}`, 'change', 'NULL', SETTING),
  onRow(
    'log_setting_gone',
    'DELETE ON settings',
    'change',
    'NULL',
    "'kind', 'setting', 'name', OLD.name, 'value', NULL",
  ),
  onRow('log_cut', 'INSERT ON unreported', 'change', 'NULL', `${CUT}, 'sign', 1, ${discard('NEW.quantity')}`),
  onRow(
    'log_cut_grown',
    'UPDATE ON unreported',
    'change',
    'NULL',
    `${CUT}, 'sign', CASE WHEN NEW.quantity > OLD.quantity THEN 1 ELSE -1 END, ${discard('abs(NEW.quantity - OLD.quantity)')}`,
  ),
]
