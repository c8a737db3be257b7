import { workerData } from 'node:worker_threads'
import { freeBuffer } from '../runtime/free-buffer'
import { type Call, type CallResult, invoke, sendAnswers, threadPort, toPlainError } from '../runtime/thread-call'
import { openPostgresStore, type StoreOptions } from './store'

/** The entry of the thread that writes to the shared record, and reads what deliveries need of it. */
const port = threadPort()
const store = await openPostgresStore({
  ...(workerData as Pick<StoreOptions, 'url' | 'name' | 'allowWeak' | 'retention'>),
  now: Date.now,
  log: console.error,
})
void store.startHousekeeping()
const methods = { ...store }
const open = new Set<Promise<void>>()
let answers: CallResult[] = []

port.on('message', (calls: readonly Call[]) => {
  for (const call of calls) {
    if (call.method === 'stop') {
      void stop()
      return
    }
    const answered = answer(call)
    open.add(answered)
    void answered.finally(() => open.delete(answered))
  }
})

async function answer(call: Call): Promise<void> {
  const { id, method, args } = call
  const result = await Promise.resolve()
    .then(() => invoke(call, methods))
    .then(
      (value): CallResult => ({ id, value }),
      (error): CallResult => ({ id, error: toPlainError(error) }),
    )
  if (method === 'append') freeBuffer((args[0] as { readonly body: Uint8Array }).body)
  // Answers of one batch cross together.
  if (answers.push(result) === 1) setImmediate(send)
}

function send(): void {
  const ready = answers
  answers = []
  sendAnswers(port, ready)
}

async function stop(): Promise<void> {
  await Promise.all(open)
  send()
  await store.close()
  port.close()
}
