import type { Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { ATTACKS } from './attack-list'

/** Runs one attack in a thread, so that it does not slow the honest senders. The thread is terminated at its end. */
const { name, collectorUrl, appUrl } = workerData as {
  readonly name: string
  readonly collectorUrl: string
  readonly appUrl: string
}

const sockets: Socket[] = []
const ending = new AbortController()
const attack = ATTACKS.find((one) => one.name === name)
if (attack === undefined) throw new Error(`unknown attack ${JSON.stringify(name)}`)
await attack.begin({ collectorUrl, appUrl, keep: (socket) => sockets.push(socket), signal: ending.signal })
parentPort?.postMessage('begun')
parentPort?.once('message', () => {
  ending.abort()
  for (const socket of sockets) socket.destroy()
  process.exit()
})
