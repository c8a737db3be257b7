import { setTimeout as wait } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { freeBuffer } from '../runtime/free-buffer'
import { type Call, type CallResult, invoke, sendAnswers, threadPort, toPlainError } from '../runtime/thread-call'
import { openPostgresStore, type StoreOptions } from './store'
import { WaitingStore } from './waiting-store'

/** The method that answers whether the first try has opened the store. */
const FIRST_TRY = 'firstTry'

/**
 * The entry of the thread that writes to the shared record, and reads what deliveries need of it. While PostgreSQL is
 * away at the start, every method rejects with StoreAwayError; there is news once the store is open.
 */
const port = threadPort()
const options = workerData as Pick<StoreOptions, 'url' | 'name' | 'allowWeak' | 'retention' | 'lanes'>
const waiting = new WaitingStore({
  open: async () => ({ ...(await openPostgresStore({ ...options, now: Date.now, log: console.error })) }),
  wait,
  log: console.error,
})
// An error that waiting does not mend ends the thread, and the collector with it.
void waiting.opened.then((store) => {
  port.postMessage({ news: 'open' })
  void store.startHousekeeping()
})
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
    .then(async () => (method === FIRST_TRY ? waiting.firstTry : invoke(call, await waiting.current())))
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
  // Nothing is on its way yet, and a try would keep the thread for seconds.
  if (!waiting.isOpen) process.exit()
  await Promise.all(open)
  send()
  await (await waiting.opened).close()
  port.close()
}
