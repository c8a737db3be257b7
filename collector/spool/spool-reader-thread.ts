import { workerData } from 'node:worker_threads'
import { answerCalls, awaitTurn, threadPort } from '../runtime/thread-call'
import { openLocal } from './local'
import { createReadMethods } from './read/read-methods'

/** The entry of the thread that answers queries from the record. */
const { folder } = workerData as { readonly folder: string }

awaitTurn()
const db = openLocal(folder)
answerCalls(threadPort(), createReadMethods(db), () => db.close())
