import { setPriority } from 'node:os'
import { join } from 'node:path'
import { platform } from 'node:process'
import { workerData } from 'node:worker_threads'
import { openForReading } from '../spool/open'
import { openStore } from '../store/open'
import { RowWriter } from '../store/write'
import { answerCalls, threadPort } from '../thread-call'
import { digestBatch } from './digest-batch'

const port = threadPort()
const { folder } = workerData as { readonly folder: string }

// Intake goes first. On Linux a priority belongs to a thread, elsewhere to the whole process.
if (platform === 'linux') setPriority(0, 10)

const store = openStore(folder)
const spool = openForReading(join(folder, 'spool.db'))
const rows = new RowWriter(store)

let scheduled = false
let stopped = false

function wake(): void {
  if (scheduled || stopped) return
  scheduled = true
  setImmediate(work)
}

function work(): void {
  scheduled = false
  if (stopped) return
  const batch = digestBatch(spool, store, rows, Date.now)
  if (batch.upTo === null) return
  port.postMessage({ news: batch })
  wake()
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
