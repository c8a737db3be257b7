import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { RECEIPT_HEADER, receiptAt } from '../../lib/protocol/request'
import { sleep } from '../../lib/time'
import { randomFrom } from '../faults/random'
import { INTAKE_PATH } from './processes'
import type { RunningSetup } from './scale-setups'
import { PAGE_LOAD, transactionEnvelope } from './transaction-envelope'

/** Between two probes, if the mirrors are not slower. */
const INTERVAL_MS = 50
const POLL_MS = 2
/** The longest wait for a mirror, which counts as its lag. */
const LONGEST_MS = 30_000

export interface MirrorLags {
  /** Ms from the answer to a probe until a mirror has its record, to 2 ms; one for each probe and mirror. */
  readonly lags: readonly number[]
  readonly posts: number
}

/** Posts envelopes to each collector in turn until the signal aborts, and looks for each of them in all mirrors. */
export async function mirrorLags({ takers, answerers }: RunningSetup, over: AbortSignal): Promise<MirrorLags> {
  const draw = randomFrom(Date.now())
  const mirrors = answerers.map(({ folder }) => new Database(join(folder, 'spool.db'), { readonly: true }))
  try {
    const finds = mirrors.map((db) => db.prepare('SELECT 1 FROM submissions WHERE receipt = ?'))
    const lags: number[] = []
    let posts = 0
    while (!over.aborted) {
      const receipt = receiptAt(Date.now(), randomUUID())
      const made = transactionEnvelope(draw, { ...PAGE_LOAD, start: Math.floor(Date.now() / 1000) })
      const posted = await fetch(`${takers[posts % takers.length]?.url}${INTAKE_PATH}`, {
        method: 'POST',
        body: made.text,
        headers: { [RECEIPT_HEADER]: receipt },
      })
      await posted.arrayBuffer()
      if (posted.status !== 200) throw new Error(`a collector answered a probe with ${posted.status}, expected 200`)
      posts += 1
      const answered = performance.now()
      const elapsed = (): number => performance.now() - answered
      let missing = finds
      while (missing.length > 0) {
        const left = elapsed() > LONGEST_MS ? [] : missing.filter((find) => find.get(receipt) === undefined)
        for (let found = left.length; found < missing.length; found += 1) lags.push(elapsed())
        missing = left
        if (missing.length > 0) await sleep(POLL_MS)
      }
      await sleep(Math.max(0, INTERVAL_MS - elapsed()))
    }
    return { lags, posts }
  } finally {
    for (const db of mirrors) db.close()
  }
}
