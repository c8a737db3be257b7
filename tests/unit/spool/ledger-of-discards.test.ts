import { afterAll, describe, expect, it } from 'vitest'
import { MAX_REASONS } from '../../../collector/spool/ledger/ledger-entries'
import { MAX_STAMP_ROWS, MAX_STAMPS } from '../../../collector/spool/ledger/ledger-totals'
import {
  accepted,
  type InProcessSpool,
  keptSubmission,
  openInProcess,
  removeFolders,
  submission,
  temporaryFolder,
} from './in-process-spool'

afterAll(removeFolders)

const discard = (reason: string, quantity = 1, category = 'span') => ({ category, reason, quantity })
const discards = (spool: InProcessSpool) =>
  spool.db
    .prepare(
      "SELECT category, reason, quantity FROM ledger_totals WHERE entry = 'client_discard' ORDER BY category, reason",
    )
    .raw()
    .all()
const ofStamp = (spool: InProcessSpool, stamp: string) =>
  spool.db
    .prepare(
      'SELECT category, entry, reason, quantity FROM stamp_ledger_totals WHERE stamp = ? AND items + quantity <> 0 ORDER BY category, entry, reason',
    )
    .raw()
    .all(stamp)

describe('discards that SDKs report', () => {
  it('are counted once, however often the envelope arrives', async () => {
    const spool = openInProcess({})
    const reporting = submission({
      discards: [discard('ratelimit_backoff', 9), discard('sample_rate', 3, 'transaction')],
    })
    await spool.append(reporting)
    await spool.append(reporting)
    expect(discards(spool)).toEqual([
      ['span', 'ratelimit_backoff', 9],
      ['transaction', 'sample_rate', 3],
    ])
    expect(spool.quantityOf('received')).toBe(1)
  })

  it('are not counted for a copy', async () => {
    const spool = openInProcess({})
    await spool.append(
      submission({ endpoint: 'stream', deliveryStatus: 'copy', stamp: 'a', discards: [discard('before_send')] }),
    )
    expect([discards(spool), ofStamp(spool, 'a')]).toEqual([[], []])
  })

  it('are not counted when nothing was stored', async () => {
    const spool = openInProcess({ cap: 16 * 1024 * 1024 })
    await spool.append(submission({ size: 17 * 1024 * 1024, stamp: 'a', discards: [discard('before_send')] }))
    expect([discards(spool), ofStamp(spool, 'a')]).toEqual([[], []])
  })

  it('are counted as other beyond the maximum number of reasons, also after a restart', async () => {
    const folder = temporaryFolder()
    const made = (from: number) => Array.from({ length: 250 }, (_, n) => discard(`made-up-${from + n}`))
    let spool = openInProcess({ folder })
    await spool.append(submission({ discards: made(0) }))
    spool.close()
    spool = openInProcess({ folder })
    await spool.append(submission({ discards: [...made(1000), discard('before_send', 2)] }))
    const rows = discards(spool) as [string, string, number][]
    expect(rows.length).toBeLessThanOrEqual(MAX_REASONS + 1)
    expect(rows.find(([, reason]) => reason === 'before_send')?.[2]).toBe(2)
    expect(rows.reduce((sum, [, , quantity]) => sum + quantity, 0)).toBe(502)
    expect(rows.find(([, reason]) => reason === 'other')?.[2]).toBeGreaterThan(300)
  })
})

describe('ledger totals of a stamp', () => {
  it('count only the records with that stamp', async () => {
    const spool = openInProcess({})
    await spool.append(submission({ stamp: 'a', discards: [discard('before_send', 4)] }))
    await spool.append(submission({ stamp: 'b' }))
    await spool.append(submission())
    await spool.recordAttempt(accepted(1))
    await spool.recordAttempt(accepted(3))
    expect(ofStamp(spool, 'a')).toEqual([
      ['error', 'accepted', '', 1],
      ['error', 'received', '', 1],
      ['span', 'client_discard', 'before_send', 4],
    ])
    expect(ofStamp(spool, 'b')).toEqual([
      ['error', 'pending', '', 1],
      ['error', 'received', '', 1],
    ])
    expect([spool.quantityOf('received'), spool.quantityOf('accepted'), spool.quantityOf('pending')]).toEqual([3, 2, 1])
  })

  it('are kept for the stamps seen last, also over a restart', async () => {
    const folder = temporaryFolder()
    let spool = openInProcess({ folder })
    const sendAll = (from: number, many: number) =>
      spool.writer.commit(() => {
        for (let n = from; n < from + many; n += 1) spool.writer.insertSubmission(keptSubmission({ stamp: `s${n}` }))
      })
    sendAll(0, MAX_STAMPS)
    sendAll(0, 1)
    spool.close()
    spool = openInProcess({ folder })
    sendAll(MAX_STAMPS, 3)
    const stamps = spool.db.prepare('SELECT stamp FROM stamps').pluck().all()
    expect(stamps).toHaveLength(MAX_STAMPS)
    expect(['s0', 's1', 's3', 's4', `s${MAX_STAMPS + 2}`].map((stamp) => stamps.includes(stamp))).toEqual([
      true,
      false,
      false,
      true,
      true,
    ])
    expect(ofStamp(spool, 's1')).toEqual([])
    expect(spool.quantityOf('received')).toBe(MAX_STAMPS + 4)
  })

  it('are dropped, oldest first, beyond the maximum number of rows', async () => {
    const spool = openInProcess({})
    const names = (kind: string, many: number) => Array.from({ length: many }, (_, n) => `${kind}-${n}`)
    const all = names('category', 180).flatMap((category) =>
      names('reason', 180).map((reason) => discard(reason, 1, category)),
    )
    for (const stamp of ['first', 'second', 'third', 'fourth'])
      await spool.append(keptSubmission({ stamp, discards: all }))
    const rows = Number(spool.db.prepare('SELECT count(*) FROM stamp_ledger_totals').pluck().get())
    expect(rows).toBeLessThanOrEqual(MAX_STAMP_ROWS)
    expect(spool.db.prepare('SELECT stamp FROM stamps ORDER BY journal').pluck().all().slice(-1)).toEqual(['fourth'])
    expect(ofStamp(spool, 'first')).toEqual([])
    expect(spool.quantityOf('client_discard')).toBe(4 * all.length)
  }, 30_000)

  it('start at zero when a dropped stamp is seen again', async () => {
    const spool = openInProcess({})
    await spool.append(submission({ stamp: 'a' }))
    spool.writer.commit(() => {
      for (let n = 0; n < MAX_STAMPS; n += 1) spool.writer.insertSubmission(keptSubmission({ stamp: `s${n}` }))
    })
    await spool.append(submission({ stamp: 'a' }))
    await spool.recordAttempt(accepted(1))
    expect(ofStamp(spool, 'a')).toEqual([
      ['error', 'pending', '', 1],
      ['error', 'received', '', 1],
    ])
  })

  it('are unchanged after a transaction that was rolled back', async () => {
    const spool = openInProcess({})
    await spool.append(submission({ stamp: 'a' }))
    const fail = (): never => {
      throw new Error('the disk is full')
    }
    spool.db.function('refuse', fail)
    spool.db.exec(
      `CREATE TEMP TRIGGER full AFTER INSERT ON main.stamps WHEN NEW.stamp = 'c' BEGIN SELECT refuse(); END`,
    )
    await spool.append(submission({ stamp: 'b' }))
    await expect(spool.append(submission({ stamp: 'c' }))).rejects.toThrow('the disk is full')
    await spool.append(submission({ stamp: 'b' }))
    expect(ofStamp(spool, 'b')).toContainEqual(['error', 'received', '', 2])
    expect([spool.quantityOf('received'), ofStamp(spool, 'c')]).toEqual([3, []])
    expect(await spool.usage()).toMatchObject({ records: 3 })
  })
})
