import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/*
 * The floor of a start: Node with as many threads as the collector starts, none of which does anything. It sends a message
 * when all of them run.
 */
const THREADS = 4

const threads = Array.from({ length: THREADS }, () => new Worker(new URL('./empty-thread.js', import.meta.url)))
await Promise.all(threads.map((thread) => once(thread, 'message')))
process.send?.({ port: 0 })
