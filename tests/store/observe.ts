import { createHash } from 'node:crypto'
import { readAttempts } from '../../collector/spool/read/read-deliveries'
import { readJournal } from '../../collector/spool/read/read-journal'
import { readLosses, readTotals } from '../../collector/spool/read/read-ledger'
import { readLimitHistory, readStoredLimits, readUnreported } from '../../collector/spool/read/read-limits'
import { readOutcomes } from '../../collector/spool/read/read-outcomes'
import {
  countPending,
  readDeadLetters,
  readDeadSeqs,
  readPending,
  readStranded,
} from '../../collector/spool/read/read-pending'
import { readRecent } from '../../collector/spool/read/read-recent'
import {
  MOMENT_PREFIX,
  readMarks,
  readSetting,
  readSettings,
  toMoments,
} from '../../collector/spool/read/read-settings'
import { readRecord } from '../../collector/spool/read/read-submissions'
import type { PendingSubmission } from '../../collector/spool/stored-content'
import { KEYS, SETTINGS, STAMPS, type Target } from './random-operations'

const FIRST_PAGE = { journal: 0, id: '' }
const MANY = { limit: 10_000 }

/**
 * All answers of a store and of the functions that read its record, with numbers replaced by the order of receipt.
 * @param hasCuts false: without the quantity that each limit cut, because a page has limits and outcomes in no common order
 */
export async function observe({ store, seqs }: Target, hasCuts: boolean) {
  const at = (seq: number | null): number | null => (seq === null ? null : seqs.indexOf(seq))
  const db = await store.readSide()
  const distinct = [...new Set(seqs)]
  const withoutNumber = <Row extends { readonly journal: number }>({ journal: _, ...row }: Row) => row
  const listed = ({ seq, bytes, stored }: PendingSubmission) => ({
    at: at(seq),
    bytes,
    ...(stored && { stored: { ...stored, receipt: receiptOf(stored.receipt), body: hashOf(stored.body) } }),
  })
  const { periods, pages, unnamed } = readLimitHistory(db)
  const limitsOf = (limits: Awaited<ReturnType<typeof store.limits>>) =>
    limits
      .map((limit) => ({ ...limit, sourceSeq: at(limit.sourceSeq) }))
      .sort((a, b) => b.until - a.until || compare(keyOf(a), keyOf(b)))
  const contentOf = (record: Awaited<ReturnType<typeof store.record>>) =>
    record && { ...record, receipt: receiptOf(record.receipt), body: hashOf(record.body) }
  const dead = await store.deadSeqs()

  const direct = {
    records: await Promise.all(distinct.map(async (seq) => contentOf(await store.record(seq)))),
    pending: await Promise.all(KEYS.map(async (key) => (await store.pending(key, '1', 0, 1000)).map(listed))),
    counts: await Promise.all(KEYS.map((key) => store.countPending(key, '1'))),
    stranded: await store.stranded([{ publicKey: 'other', project: '1' }]),
    dead: dead.map(at),
    deadItems: (await store.deadItems(dead)).map(({ seq, ...items }) => ({ at: at(seq), ...items })),
    unreported: await Promise.all(KEYS.map((key) => store.unreported(key, '1'))),
    limits: limitsOf(await store.limits()),
    settings: await Promise.all(SETTINGS.map((name) => store.setting(name))),
  }
  const onReadSide = {
    records: distinct.map((seq) => contentOf(readRecord(db, seq))),
    pending: KEYS.map((key) => readPending(db, key, '1', 0, 1000).map(listed)),
    counts: KEYS.map((key) => countPending(db, key, '1')),
    stranded: readStranded(db, [{ publicKey: 'other', project: '1' }]),
    dead: readDeadSeqs(db).map(at),
    unreported: KEYS.map((key) => readUnreported(db, key, '1')),
    limits: limitsOf(readStoredLimits(db)),
    settings: SETTINGS.map((name) => readSetting(db, name)),
  }
  return {
    direct,
    onReadSide,
    totals: withoutNumber(readTotals(db)),
    losses: [null, ...STAMPS].map((stamp) => withoutNumber(readLosses(db, stamp, 0))),
    outcomes: readOutcomes(db, {}, FIRST_PAGE, MANY).outcomes.map(({ seq, ...row }) => ({
      ...withoutNumber(row),
      of: at(seq),
    })),
    attempts: distinct.map((seq) =>
      readAttempts(db, seq).map(({ id: _, seq: __, ...attempt }) => withoutNumber(attempt)),
    ),
    deadLetters: readDeadLetters(db, FIRST_PAGE, MANY).deadLetters.map(({ seq, ...row }) => ({
      ...withoutNumber(row),
      of: at(seq),
    })),
    // A change without a fact of its own may have one of this kind.
    facts: readJournal(db, 0, 100_000)
      .facts.filter(({ kind }) => kind !== 'changed')
      .map(({ kind, seq, at: time }) => ({ kind, of: at(seq), time })),
    periods: periods.map(({ sourceSeq, cut, ...period }) => ({
      ...period,
      ...(hasCuts && { cut }),
      source: at(sourceSeq),
    })),
    pages: pages.map(({ sentWith, violatedSeq, resumedSeq, ...page }) => ({
      ...page,
      numbers: [sentWith, violatedSeq, resumedSeq].map(at),
    })),
    unnamed,
    recent: readRecent(db, 0, Number.MAX_SAFE_INTEGER),
    marks: [...readMarks(db)],
    moments: toMoments(readSettings(db, MOMENT_PREFIX)),
    stored: db.prepare('SELECT sum(stored_bytes) FROM pending_deliveries').pluck().get(),
  }
}

/** A second body with one receipt has a receipt of its own, which each engine makes in its own way. */
const receiptOf = (receipt: string): string => receipt.replace(/\+.*/, '+')
const hashOf = (body: Uint8Array): string => `${body.length} ${createHash('sha256').update(body).digest('hex')}`
const keyOf = ({ publicKey, category }: { readonly publicKey: string; readonly category: string }): string =>
  `${publicKey} ${category}`
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
