import Database from 'better-sqlite3'
import { afterEach, expect, inject, it, onTestFinished } from 'vitest'
import { freePort } from '../unit/tunnel/recording-collector'
import { type Random, randomFrom } from './random'
import { cleanUp, newTestFolder } from './test-folder'
import { startUpstream } from './upstream'

const ENVELOPES = 300
/** The others show that intact records are delivered. */
const INTACT = 20
const FLIPS = 400

const program = inject('faultsProgram')
afterEach(cleanUp)

/** Flips bits of stored bodies, at least one of each of the first records. @returns the numbers of changed records */
function flipBits(path: string, draw: Random): ReadonlySet<number> {
  const db = new Database(path)
  const read = db.prepare('SELECT body FROM submissions WHERE seq = ?').pluck()
  const write = db.prepare('UPDATE submissions SET body = ? WHERE seq = ?')
  const bits = new Map<number, Set<number>>()
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const seq = (flip % (ENVELOPES - INTACT)) + 1
    const length = (read.get(seq) as Buffer).length * 8
    // A bit that is flipped twice would be intact again.
    bits.set(seq, (bits.get(seq) ?? new Set()).add(Math.floor(draw.fraction() * length)))
  }
  db.transaction(() => {
    for (const [seq, flipped] of bits) {
      const body = Buffer.from(read.get(seq) as Buffer)
      for (const bit of flipped) body.writeUInt8(body.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      write.run(body, seq)
    }
  })()
  db.close()
  return new Set(bits.keys())
}

it('relays and serves no body with a flipped bit, and delivers all others', async () => {
  const testFolder = newTestFolder(program)
  const port = await freePort()
  const env = { WAYSTATION_UPSTREAM: `http://oracle@127.0.0.1:${port}/1` }
  const first = await testFolder.start(env)
  await first.fill(ENVELOPES, 800)
  await first.stop()
  const flipped = flipBits(testFolder.path('spool.db'), randomFrom(7))
  expect(flipped.size).toBe(ENVELOPES - INTACT)

  const upstream = await startUpstream(randomFrom(1), 0, port)
  onTestFinished(upstream.close)
  const collector = await testFolder.start(env)
  await expect.poll(async () => (await collector.client.overview()).items.pending, { timeout: 30_000 }).toBe(0)
  const { outcomes } = (await collector.client.overview()).items
  expect(outcomes).toMatchObject({ accepted: INTACT, invalid: flipped.size })
  expect(upstream.arrivals.size).toBe(INTACT)
  const statuses = await Promise.all(
    [...flipped].map(async (seq) => (await fetch(collector.client.rawUrl(seq))).status),
  )
  expect(new Set(statuses)).toEqual(new Set([503]))
  const db = new Database(testFolder.path('spool.db'), { readonly: true })
  const ended = db.prepare("SELECT seq FROM outcomes WHERE outcome = 'invalid' AND reason = 'damaged_record'")
  expect(new Set(ended.pluck().all())).toEqual(flipped)
  db.close()
  expect((await collector.stop()).code).toBe(0)
})
