import { workerData } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { openForReading } from '../runtime/database'
import { answerCalls, threadPort } from '../runtime/thread-call'
import { attachLocal } from '../spool/local'
import { indexPath } from './index-open'
import { createQueryMethods } from './query-methods'

/** The entry of the thread that answers queries from the index. */
const { folder, sizeLimits } = workerData as { readonly folder: string; readonly sizeLimits: ReadLimits }

function open(): Database {
  const opened = openForReading(indexPath(folder))
  attachLocal(opened, folder)
  return opened
}

const { queries, control, close } = createQueryMethods(open, sizeLimits, () => performance.now())
answerCalls(threadPort(), { ...queries, ...control }, close)
