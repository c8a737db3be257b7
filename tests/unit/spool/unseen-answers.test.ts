import { afterAll, describe, expect, it } from 'vitest'
import { MAX_ROWS } from '../../../collector/spool/ledger/unseen-answers'
import type { Submission } from '../../../lib/protocol/submission'
import { openInProcess, removeFolders, submission, temporaryFolder } from './in-process-spool'
import { openInMemory, openOnSqlite, type UnseenLedger } from './unseen-ledgers'

afterAll(removeFolders)

const NOW = 1_700_000_000_000

interface Sender {
  readonly page?: string | null
  readonly stamp?: string | null
  readonly publicKey?: string
}

const sent = ({ page = 'p1', ...sender }: Sender, more: Partial<Submission> = {}): Submission => {
  const made = submission({ ...sender, ...more })
  return { ...made, facts: { ...made.facts, page } }
}
const errors = (sender: Sender, quantity = 1): Submission =>
  sent(sender, { quantities: [{ category: 'error', quantity }] })
const report = (sender: Sender, quantity: number, category = 'error', reason = 'network_error'): Submission =>
  sent(sender, { quantities: [{ category: 'internal', quantity: 1 }], discards: [{ category, reason, quantity }] })

async function arriveUnseen(spool: Pick<UnseenLedger, 'append' | 'addUnseenAnswer'>, one: Submission): Promise<void> {
  await spool.append(one)
  await spool.addUnseenAnswer(one.receipt)
}

const totals = (spool: Pick<UnseenLedger, 'quantityOf'>) => ({
  discarded: spool.quantityOf('client_discard'),
  unseen: spool.quantityOf('answer_unseen'),
})

describe.each([
  ['on SQLite', openOnSqlite],
  ['in memory', openInMemory],
] as const)('%s', (_name, openLedger) => {
  describe('a network error of a client report', () => {
    it('is taken back for items of the same page whose connection closed before the answer', async () => {
      const spool = openLedger()
      await arriveUnseen(spool, errors({}, 2))
      await spool.append(report({}, 3))
      expect(totals(spool)).toEqual({ discarded: 1, unseen: 2 })
      expect(spool.quantityOf('received', 'error')).toBe(2)
      expect(spool.errors()).toEqual([])
    })

    it('is taken back when the connection closes after the report, and over several of each', async () => {
      const spool = openLedger()
      await spool.append(report({}, 3))
      await arriveUnseen(spool, errors({}))
      expect(totals(spool)).toEqual({ discarded: 2, unseen: 1 })
      await arriveUnseen(spool, errors({}, 5))
      expect(totals(spool)).toEqual({ discarded: 0, unseen: 3 })
      await spool.append(report({}, 4))
      expect(totals(spool)).toEqual({ discarded: 1, unseen: 6 })
    })

    it('is matched by stamp when the sender names no page', async () => {
      const spool = openLedger()
      const sender = { page: null, stamp: 'a' }
      await arriveUnseen(spool, errors(sender))
      await spool.append(report(sender, 1))
      expect(totals(spool)).toEqual({ discarded: 0, unseen: 1 })
      expect(spool.discardsOf('a')).toEqual([['answer_unseen', 1]])
    })

    it.each<[string, Submission, Submission]>([
      ['another page', errors({ page: 'p2' }), report({}, 1)],
      ['another stamp', errors({ page: null, stamp: 'a' }), report({ page: null, stamp: 'b' }, 1)],
      ['a sender without page and stamp', errors({ page: null }), report({ page: null }, 1)],
      ['another key', errors({ publicKey: 'other' }), report({}, 1)],
      ['another category', errors({}), report({}, 1, 'span')],
      ['another reason', errors({}), report({}, 1, 'error', 'queue_overflow')],
    ])('stays a loss when what arrived is of %s', async (_name, arrived, reporting) => {
      const spool = openLedger()
      await arriveUnseen(spool, arrived)
      await spool.append(reporting)
      expect(totals(spool)).toEqual({ discarded: 1, unseen: 0 })
    })

    it('stays a loss when every answer was sent', async () => {
      const spool = openLedger()
      await spool.append(errors({}))
      await spool.append(report({}, 1))
      expect(totals(spool)).toEqual({ discarded: 1, unseen: 0 })
    })

    it('is taken back once for an envelope that a tunnel delivers twice after its sender had left', async () => {
      const spool = openLedger()
      const late = { ...errors({}), answerUnseen: true as const }
      await spool.append(late)
      await spool.append(late)
      await spool.append(report({}, 2))
      expect(totals(spool)).toEqual({ discarded: 1, unseen: 1 })
    })

    it('is taken back for a post that was open when the page wrote its report', async () => {
      const spool = openLedger()
      const spans = [{ category: 'span', quantity: 22 }] as const
      const open = sent({}, { quantities: spans, sentAt: NOW - 300, receivedAt: NOW })
      await spool.append(open)
      await spool.append({ ...report({}, 22, 'span'), countedAt: NOW - 100, receivedAt: NOW + 10 })
      expect(totals(spool)).toEqual({ discarded: 0, unseen: 22 })
      // The tunnel may also report that the sender left.
      await spool.addUnseenAnswer(open.receipt)
      await spool.append(report({}, 22, 'span'))
      expect(totals(spool)).toEqual({ discarded: 22, unseen: 22 })
      expect(spool.errors()).toEqual([])
    })

    it('is taken back for the spans inside of transactions that arrived', async () => {
      const spool = openLedger()
      const transaction = sent({}, { quantities: [{ category: 'transaction', quantity: 1 }] })
      const both = {
        ...report({}, 1, 'transaction'),
        discards: [
          { category: 'span', reason: 'network_error', quantity: 9 },
          { category: 'transaction', reason: 'network_error', quantity: 1 },
        ],
      }
      await spool.append(both)
      expect(totals(spool)).toEqual({ discarded: 10, unseen: 0 })
      await arriveUnseen(spool, transaction)
      expect(totals(spool)).toEqual({ discarded: 0, unseen: 10 })
    })
  })

  it('ignores a receipt that is not stored', async () => {
    const spool = openLedger()
    await spool.addUnseenAnswer('01234567-89ab-7def-8123-456789abcdef')
    expect(totals(spool)).toEqual({ discarded: 0, unseen: 0 })
  })

  it(`keeps the ${MAX_ROWS} senders that were seen last`, async () => {
    const spool = openLedger()
    for (let n = 0; n <= MAX_ROWS; n += 1) await arriveUnseen(spool, errors({ page: `p${n}` }))
    await spool.append(report({ page: 'p1' }, 1))
    expect(totals(spool)).toEqual({ discarded: 0, unseen: 1 })
    await spool.append(report({ page: 'p0' }, 1))
    expect(totals(spool)).toEqual({ discarded: 1, unseen: 1 })
    await spool.append(report({ page: `p${MAX_ROWS}` }, 1))
    expect(totals(spool)).toEqual({ discarded: 1, unseen: 2 })
  })
})

it('matches a network error after a restart, on SQLite', async () => {
  const folder = temporaryFolder()
  const before = openInProcess({ folder })
  await arriveUnseen(before, errors({}))
  before.close()
  const spool = openInProcess({ folder })
  await spool.append(report({}, 1))
  expect(totals(spool)).toEqual({ discarded: 0, unseen: 1 })
})
