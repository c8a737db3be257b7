import { parentPort } from 'node:worker_threads'

// The listener keeps the thread alive, like those of the collector.
parentPort?.on('message', () => undefined).postMessage('running')
