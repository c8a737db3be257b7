import { expect, it } from 'vitest'
import { MAX_REFUSED_PATHS } from '../../collector/spool/counters'
import { readLosses, readTotals } from '../../collector/spool/read/read-ledger'
import { submission } from '../unit/spool/in-process-spool'
import { describeStores, type OpenedStore } from './engines'

const ofPage = { facts: { ...submission().facts, page: 'page-1' } }
const lost = { category: 'error', reason: 'network_error', quantity: 1 }

async function rowOf(store: OpenedStore) {
  const { categories } = readLosses(await store.readSide(), null, 0)
  return categories.find(({ category }) => category === 'error')
}

describeStores('counters', (open) => {
  it('count refusals by reason, and the paths of requests that nothing serves', async () => {
    const store = await open()
    await store.countRefusal('too_large', 1000)
    await store.countRefusal('too_large', 500)
    for (const path of ['GET /a', 'GET /b', 'GET /a']) await store.countRefusal('not_found', 0, path)
    const { refused, refusals } = readTotals(await store.readSide())
    expect(refused).toBe(5)
    expect(refusals).toEqual([
      {
        reason: 'not_found',
        envelopes: 3,
        paths: [
          { path: 'GET /a', envelopes: 2 },
          { path: 'GET /b', envelopes: 1 },
        ],
      },
      { reason: 'too_large', envelopes: 2 },
    ])
    expect(readLosses(await store.readSide(), null, 0).losses).toEqual([
      { by: 'endpoint', reason: 'not_found', category: null, quantity: 3 },
      { by: 'endpoint', reason: 'too_large', category: null, quantity: 2 },
    ])
  })

  it('count at most 50 paths of a reason; further ones count as other', async () => {
    const store = await open()
    await Promise.all(
      Array.from({ length: MAX_REFUSED_PATHS + 5 }, (_, n) => store.countRefusal('not_found', 0, `GET /${n}`)),
    )
    await store.countRefusal('not_found', 0, 'GET /\u0000\ud800')
    const [refusal] = readTotals(await store.readSide()).refusals
    expect(refusal?.paths).toHaveLength(MAX_REFUSED_PATHS + 1)
    expect(refusal?.paths?.[0]).toEqual({ path: 'other', envelopes: 6 })
  })

  it('count documents and the pages that posted', async () => {
    const store = await open()
    await store.countPages(10, 4)
    await store.countPages(1, 1)
    expect(readTotals(await store.readSide()).pages).toEqual({ documents: 11, posted: 5 })
  })

  it('count discards that SDKs report, by reason', async () => {
    const store = await open()
    const sampled = { category: 'transaction', reason: 'sample_rate', quantity: 5 }
    await store.append(submission({ quantities: [], discards: [lost, sampled, sampled] }))
    const { categories } = readLosses(await store.readSide(), null, 0)
    expect(categories).toMatchObject([
      { category: 'error', discarded: 1, received: 0 },
      { category: 'transaction', notSent: 10, received: 0 },
    ])
  })

  it('match an answer that its sender did not see with a discard that the sender reports', async () => {
    const store = await open()
    const sent = submission(ofPage)
    await store.append(sent)
    await store.addUnseenAnswer(sent.receipt)
    await store.addUnseenAnswer('unknown')
    expect(await rowOf(store)).toMatchObject({ received: 1, unseen: 0, discarded: 0 })
    await store.append(submission({ ...ofPage, quantities: [], discards: [lost] }))
    expect(await rowOf(store)).toMatchObject({ received: 1, unseen: 1, discarded: 0 })
  })

  it('match them also when the discard was reported before', async () => {
    const store = await open()
    await store.append(submission({ ...ofPage, quantities: [], discards: [{ ...lost, quantity: 3 }] }))
    await store.append(submission({ ...ofPage, answerUnseen: true }))
    const aborted = submission(ofPage)
    await store.append(aborted)
    await store.addUnseenAnswer(aborted.receipt)
    expect(await rowOf(store)).toMatchObject({ received: 2, unseen: 2, discarded: 1 })
  })
})
