import { expect, it, onTestFinished } from 'vitest'
import type { SpoolNews } from '../../collector/spool/journal'
import { publishNews } from '../../collector/spool-postgres/follow/journal-news'
import { StoreAwayError } from '../../collector/spool-postgres/store-away'
import { startTimer } from '../../lib/time'
import type { JournalFact } from '../../lib/wire/journal'
import { accepted, seqOf, submission } from '../unit/spool/in-process-spool'
import { closeKeptStores, NOW, openKeptStore, server } from './housekeeping-store'

closeKeptStores()

/** Publishes the news of a store until the test ends. @returns what was published so far */
async function newsOf(store: Parameters<typeof publishNews>[0]): Promise<() => readonly JournalFact[]> {
  const all: SpoolNews[] = []
  const { stop } = await publishNews(store, { publish: (news) => all.push(news), later: startTimer, now: () => NOW })
  onTestFinished(stop)
  return () => all.flatMap(({ facts }) => facts)
}

it.skipIf('why' in server)('publishes what any collector adds from now on, each fact once and in order', async () => {
  const store = await openKeptStore()
  const other = await store.openOther('other')
  const dead = await seqOf(store.append(submission()))
  await store.recordAttempt(accepted(dead, { status: 413, decision: null, dead: true }))
  const news = await newsOf(store)
  const sent = await seqOf(other.append(submission()))
  await other.requeueDeadLetters([dead])
  await store.recordAttempt(accepted(sent))
  await expect.poll(() => news().length).toBe(4)
  expect(news().map(({ kind, seq }) => [kind, seq])).toEqual([
    ['received', sent],
    ['pending', dead],
    ['delivered', sent],
    ['decided', sent],
  ])
  expect(news().map(({ n }) => n)).toEqual([3, 4, 5, 6])
})

it('after the store was away, all that is pending is read again: the record may have gone back', async () => {
  const facts: JournalFact[] = [{ n: 9, at: NOW, kind: 'received', seq: 9 }]
  let head = 8
  let failures = 0
  const orAway = <Value>(value: Value): Value => {
    if (failures === 0) return value
    failures -= 1
    throw new StoreAwayError('here', 'it is stopped')
  }
  const news = await newsOf({
    head: async () => orAway(head),
    facts: async (after) => orAway(facts.filter(({ n }) => n > after)),
  })
  await expect.poll(() => news().map(({ n }) => n)).toEqual([9])
  // A record that was restored lacks the newest fact.
  head = 5
  facts.splice(0, 1, { n: 6, at: NOW, kind: 'received', seq: 6 })
  failures = 2
  await expect
    .poll(() => news().slice(1))
    .toEqual([
      { n: 5, at: NOW, kind: 'pending', seq: 1 },
      { n: 6, at: NOW, kind: 'received', seq: 6 },
    ])
})
