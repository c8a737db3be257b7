import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, expect, it } from 'vitest'
import { createSend } from '../../../collector/relay/http-sender'
import { OPEN_POSTS } from '../../../collector/relay/open-posts'
import { UpstreamRelay } from '../../../collector/relay/upstream-relay'
import { countPending, readPending } from '../../../collector/spool/read/read-pending'
import { readRecord } from '../../../collector/spool/read/read-submissions'
import type { Attempt } from '../../../collector/spool/submission'
import { type StandIn, startStandIn } from '../../../collector/stand-in/stand-in'
import { RecordedFolder } from '../index/recorded-folder'
import { removeFolders, submission } from '../spool/in-process-spool'
import { HandClock, relayTools } from './relay-parts'

const ENVELOPES = 10_000
/** Records per commit, as the spool's thread groups them under load. */
const GROUP = 100
const TEN_MINUTES_MS = 10 * 60 * 1000

let standIn: StandIn | null = null
afterAll(async () => {
  await standIn?.close()
  removeFolders()
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
/** Memory in use on and off the heap, in bytes. */
const held = (): number => {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Groups the work of one turn; every caller resolves when the group is done. */
function inGroups<Value>(work: (group: readonly Value[]) => void): (value: Value) => Promise<void> {
  let group: Value[] = []
  let done: Promise<void> | null = null
  return (value) => {
    group.push(value)
    done ??= new Promise((resolve) =>
      setImmediate(() => {
        const now = group
        group = []
        done = null
        work(now)
        resolve()
      }),
    )
    return done
  }
}

it('ten minutes without upstream loses none of 10,000 envelopes, and memory does not grow with them', {
  timeout: 240_000,
}, async () => {
  standIn = await startStandIn()
  const { dsn } = standIn
  await standIn.close()
  const folder = new RecordedFolder()
  const { spool, db } = folder
  const clock = new HandClock()
  let attempts = 0
  const deliver = inGroups((group: readonly Attempt[]) => {
    attempts += group.length
    spool.writer.commit(() => group.map((attempt) => spool.writer.recordAttempt(attempt)))
  })
  const tools = relayTools({
    spool: { ...spool, recordAttempt: deliver },
    reader: {
      pending: async (...wanted) => readPending(db, ...wanted),
      record: async (seq) => readRecord(db, seq),
    },
    send: createSend(OPEN_POSTS),
    now: clock.now,
    later: clock.later,
  })
  const relay = new UpstreamRelay(dsn, false, 'upstream', tools)
  const pending = () => countPending(db, dsn.publicKey, dsn.projectId)
  const sent = new Set<string>()
  const before = { held: held(), resident: process.memoryUsage().rss }
  let most = 0
  const isOpen = (): boolean => relay.state({ pending: 0, deadLetters: 0 }).open > 0
  for (let each = 0; each < ENVELOPES; each += GROUP) {
    const made = Array.from({ length: GROUP }, () =>
      submission({ publicKey: dsn.publicKey, project: dsn.projectId, size: 2000 }),
    )
    const appended = spool.writer.commit(() => made.map((one) => spool.writer.insertSubmission(one))).result
    for (const [index, record] of made.entries()) {
      const stored = appended[index]
      if (stored === undefined || !('seq' in stored) || stored.pendingAfter === undefined)
        throw new Error('it is not pending')
      sent.add(createHash('sha256').update(record.body).digest('hex'))
      relay.offer({ seq: stored.seq, pendingAfter: stored.pendingAfter, content: record })
      clock.pass(TEN_MINUTES_MS / ENVELOPES)
      // A probe ends later.
      while (isOpen()) await new Promise((resolve) => setImmediate(resolve))
    }
    if (each % 1000 === 0) most = Math.max(most, held() - before.held)
  }
  expect(relay.state(pending())).toMatchObject({ state: 'backing_off', pending: ENVELOPES })
  // The posts that were open at the first failure, then about twenty probes.
  expect(attempts).toBeGreaterThan(10)
  expect(attempts).toBeLessThan(OPEN_POSTS + 30)

  standIn = await startStandIn({ port: Number(dsn.host.split(':')[1]) })
  const arrived = new Set<string>()
  const take = (): void => {
    for (const { sha256 } of standIn?.received() ?? []) arrived.add(sha256)
    standIn?.forget()
  }
  clock.pass(60_000)
  await expect
    .poll(
      () => {
        take()
        most = Math.max(most, held() - before.held)
        return pending().pending
      },
      { timeout: 180_000, interval: 200 },
    )
    .toBe(0)
  take()
  expect(arrived).toEqual(sent)
  expect(spool.quantityOf('accepted')).toBe(ENVELOPES)
  expect(relay.state(pending())).toMatchObject({ state: 'idle', retryAt: null })
  expect(most).toBeLessThan(64 * 1024 * 1024)
  expect(process.memoryUsage().rss - before.resident).toBeLessThan(64 * 1024 * 1024)
})
