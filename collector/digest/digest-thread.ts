import { setPriority } from 'node:os'
import { join } from 'node:path'
import { platform } from 'node:process'
import { workerData } from 'node:worker_threads'
import type { ReadLimits } from '../../lib/items/signal'
import { openForReading } from '../spool/open'
import { openStore } from '../store/open'
import { RowWriter } from '../store/write'
import { answerCalls, plain, threadPort } from '../thread-call'
import { digestBatch } from './digest-batch'
import type { DigestNews } from './digester'
import { refuseLostRecord } from './refuse-lost-record'

const port = threadPort()
const { folder, limits } = workerData as { readonly folder: string; readonly limits: ReadLimits }

// Intake goes first. On Linux a priority belongs to a thread, elsewhere to the whole process.
if (platform === 'linux') setPriority(0, 10)

const store = openStore(folder)
const spool = openForReading(join(folder, 'spool.db'))
refuseLostRecord(spool, Number(store.prepare('SELECT seq FROM cursor').pluck().get()))
const rows = new RowWriter(store)

let scheduled = false
let stopped = false

function wake(): void {
  if (scheduled || stopped) return
  scheduled = true
  setImmediate(work)
}

/** A disk that is full, or a file that somebody locks, is tried again: the record is safe and the rows can wait. */
const RETRY_MS = 1000

function work(): void {
  scheduled = false
  if (stopped) return
  try {
    const batch = digestBatch(spool, store, rows, Date.now, limits)
    if (batch.upTo === null) return
    port.postMessage({ news: { batch } satisfies DigestNews })
    wake()
  } catch (error) {
    port.postMessage({ news: { stuck: plain(error).message } satisfies DigestNews })
    scheduled = true
    setTimeout(work, RETRY_MS)
  }
}

answerCalls(
  port,
  {
    // The cursor as it was found: what it covers has been told of, or is told of again.
    ready: () => Number(store.prepare('SELECT seq FROM cursor').pluck().get()),
    wake,
  },
  () => {
    stopped = true
    store.pragma('wal_checkpoint(TRUNCATE)')
    store.close()
    spool.close()
  },
)
