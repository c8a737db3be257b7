import { setTimeout as wait } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { startTimer } from '../../lib/time'
import { freeBuffer } from '../runtime/free-buffer'
import { type Call, type CallResult, invoke, sendAnswers, threadPort, toPlainError } from '../runtime/thread-call'
import { publishNews } from './follow/journal-news'
import { openPostgresStore, type StoreOptions } from './store'
import { FIRST_TRY, OPEN } from './store-away'
import { WaitingStore } from './waiting-store'

export interface StoreThreadData extends Pick<StoreOptions, 'url' | 'name' | 'allowWeak' | 'retention' | 'lanes'> {
  /** Publishes new facts. A collector with a mirror learns them from that. */
  readonly isFollowed: boolean
}

/**
 * The entry of the thread that writes to the shared record, and reads what deliveries need of it. While PostgreSQL is
 * away at the start, every method rejects with StoreAwayError; there is news once the store is open.
 */
const port = threadPort()
const { isFollowed, ...options } = workerData as StoreThreadData
const waiting = new WaitingStore({
  open: async () => ({ ...(await openPostgresStore({ ...options, now: Date.now, log: console.error })) }),
  wait,
  log: console.error,
})
let following: ReturnType<typeof publishNews> | null = null
// An error that waiting does not mend ends the thread, and the collector with it.
void waiting.opened.then((store) => {
  port.postMessage({ news: OPEN })
  void store.startHousekeeping()
  if (isFollowed)
    following = publishNews(store, {
      publish: (news) => port.postMessage({ news }),
      later: startTimer,
      now: Date.now,
    })
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
  await (await following)?.stop()
  await (await waiting.opened).close()
  port.close()
}
