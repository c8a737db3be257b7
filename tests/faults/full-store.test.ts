import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, inject, it } from 'vitest'
import { hasCode } from '../../collector/launch/processes.js'
import { createDatabase, withClient } from '../store/databases'
import { randomFrom } from './random'
import { clusterOfTest, setUpShared } from './shared-collectors'
import { figures } from './shared-oracle'
import { cleanUp, mayMount, temporaryFolder } from './test-folder'

const program = inject('faultsProgram')
/** On a machine that has other work. */
const LONGEST_MS = 300_000
const SEED = Number(process.env.FAULT_SEED ?? 1)
/** Has the data and, where the user nobody may not read node_modules, the programs of PostgreSQL. */
const DISK = '320m'
const BLOCK = Buffer.alloc(64 * 1024)
const SMALL_BLOCK = Buffer.alloc(4096)

afterAll(cleanUp)

/** Writes a file until the disk is full. */
function fillDisk(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (const block of [BLOCK, SMALL_BLOCK]) fillBy(file, block)
  } finally {
    closeSync(file)
  }
}

function fillBy(file: number, block: Buffer): void {
  try {
    for (;;) writeSync(file, block)
  } catch (cause) {
    if (!hasCode(cause, 'ENOSPC')) throw cause
  }
}

it.skipIf(!mayMount())(
  'a full disk of PostgreSQL refuses envelopes with 503, and loses nothing (skipped where mount is not allowed)',
  async ({ skip, onTestFinished }) => {
    const disk = temporaryFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', disk])
    onTestFinished(() => {
      execFileSync('umount', [disk])
      rmSync(disk, { recursive: true })
    })
    const cluster = await clusterOfTest({ skip, onTestFinished }, disk)
    const filler = join(disk, 'filler')
    onTestFinished(() => rmSync(filler, { force: true }))
    await cluster.start()
    const database = await createDatabase(cluster.url())
    const shared = await setUpShared({
      program,
      draw: randomFrom(SEED + 4),
      store: database,
      database: () => database,
      count: 1,
    })
    onTestFinished(shared.close)
    const { senders } = shared
    await senders.moreAcknowledged(50)

    fillDisk(filler)
    await senders.nextRefusal()
    rmSync(filler)
    await senders.moreAcknowledged(50)

    fillDisk(filler)
    // Without space for a new file of the log PostgreSQL ends all its processes.
    const panic = withClient(cluster.url(), async (client) => {
      for (;;) await client.query(`SELECT pg_logical_emit_message(true, '', 'next file'), pg_switch_wal()`)
    })
    await expect(panic).rejects.toThrow(/No space left on device|terminat|ECONNRESET/)
    await senders.nextRefusal()
    rmSync(filler)
    if (!cluster.isRunning()) await cluster.start()
    await senders.moreAcknowledged(50)

    const result = await shared.finish()
    console.log(`disk of PostgreSQL full twice: ${senders.refused()} answers of 503; ${figures(result)}`)
    expect(result).toMatchObject({ broken: [], endings: [], lost: 0 })
  },
  LONGEST_MS,
)
