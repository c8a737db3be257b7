import { join } from 'node:path'
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { faultPoint } from '../fault-point'
import { type Answer, type Call, invoke, plain, threadPort } from '../thread-call'
import { holdFolder } from './hold-folder'
import { openForWriting } from './open'
import { migrate } from './schema'
import { SpoolWriter } from './writer'

/**
 * Group commit: while one transaction is being synced, calls queue up at the port; the next transaction takes them
 * all. Each caller is answered only after the sync that covers it.
 */
const port = threadPort()
const { folder } = workerData as { readonly folder: string }

/** More than this and the first of the batch would wait for the last. */
const MAX_BATCH = 256

const release = holdFolder(folder)
const db = openForWriting(join(folder, 'spool.db'), 'FULL')
migrate(db)
const writer = new SpoolWriter(db, Date.now)
const methods = {
  ready: () => true,
  append: writer.append.bind(writer),
  deliver: writer.deliver.bind(writer),
  limit: writer.limit.bind(writer),
  digested: writer.digested.bind(writer),
  refused: writer.refused.bind(writer),
  setting: writer.setting.bind(writer),
}

function attempt(call: Call): Answer {
  try {
    return { id: call.id, value: writer.attempt(() => invoke(call, methods)) }
  } catch (error) {
    // When SQLite had to give up the whole transaction (a full disk), the batch ends with it.
    if (db.inTransaction) return { id: call.id, error: plain(error) }
    throw error
  }
}

port.on('message', (first: Call) => {
  const batch = [first]
  while (batch.length < MAX_BATCH) {
    const next = receiveMessageOnPort(port) as { message: Call } | undefined
    if (next === undefined) break
    batch.push(next.message)
  }
  const stop = batch.findIndex((call) => call.method === 'stop')
  commitBatch(stop < 0 ? batch : batch.slice(0, stop))
  if (stop < 0) return
  writer.close()
  release()
  port.close()
})

function commitBatch(batch: readonly Call[]): void {
  if (batch.length === 0) return
  try {
    const { answer: answers, facts } = writer.commit(() => {
      const given = batch.map(attempt)
      faultPoint('before_commit')
      return given
    })
    faultPoint('after_commit')
    for (const given of answers) port.postMessage(given)
    if (facts.length > 0) port.postMessage({ news: facts })
  } catch (error) {
    for (const call of batch) port.postMessage({ id: call.id, error: plain(error) })
  }
}
