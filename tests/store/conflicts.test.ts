import { expect, inject, it } from 'vitest'
import type { LaneKey } from '../../collector/spool/lanes'
import { accepted, seqOf, submission } from '../unit/spool/in-process-spool'
import { closeKeptStores, openKeptStore } from './housekeeping-store'

const isSkipped = 'why' in inject('postgres')
closeKeptStores()

it.skipIf(isSkipped)('a conflict that does not end is tried five times, with pauses', async () => {
  const store = await openKeptStore()
  // A sequence keeps its value when the transaction is rolled back.
  for (const statement of [
    'CREATE SEQUENCE public.tries',
    `CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM nextval('public.tries'); RAISE unique_violation; END $$`,
    'CREATE TRIGGER refuse BEFORE INSERT ON waystation.receipts EXECUTE FUNCTION public.refuse()',
  ])
    await store.column(statement)
  await expect(store.append(submission())).rejects.toMatchObject({ code: '23505' })
  expect(await store.column('SELECT last_value::int FROM public.tries')).toEqual([5])
  await store.column('DROP TRIGGER refuse ON waystation.receipts')
  expect(await store.append(submission())).toMatchObject({ seq: 1 })
})

it.skipIf(isSkipped)('a result of a record that another collector deleted meanwhile changes nothing', async () => {
  const store = await openKeptStore()
  const seq = await seqOf(store.append(submission()))
  const other = await store.openOther('other')
  await other.erase([seq], 'cleared')
  await store.recordAttempt(accepted(seq))
  expect(await store.column('SELECT count(*)::int FROM waystation.attempts')).toEqual([0])
  expect(await store.column("SELECT count(*)::int FROM waystation.journal WHERE kind = 'delivered'")).toEqual([0])
  expect(await store.column('SELECT count(*)::int FROM waystation.outcomes')).toEqual([0])
  expect(await store.column("SELECT sum(quantity)::int FROM waystation.totals_added WHERE entry = 'accepted'")).toEqual(
    [null],
  )
})

it.skipIf(isSkipped)('a lane that nobody ever took is free since its oldest pending record came', async () => {
  const store = await openKeptStore()
  const key: LaneKey = { publicKey: 'key', project: '1', lane: 0 }
  expect(await store.readLanes([key])).toEqual([{ ...key, owner: null, state: null, unownedMs: 0 }])
  await store.append(submission({ receivedAt: Date.now() - 60_000 }))
  const [status] = await store.readLanes([key])
  expect(status?.owner).toBeNull()
  expect(status?.unownedMs).toBeGreaterThanOrEqual(60_000)
  await store.takeLanes([key])
  expect(await store.readLanes([key])).toMatchObject([{ unownedMs: 0, owner: expect.stringContaining('test') }])
})
