/* Runs a configuration in a thread, so that it cannot end the command. Posts its default export or an error. */
import { parentPort, workerData } from 'node:worker_threads'

/** @typedef {{ readonly value: unknown } | { readonly failed: string }} Ran */

/** @returns {Promise<Ran>} */
async function ran() {
  try {
    return { value: (await import(String(workerData))).default }
  } catch (cause) {
    return {
      failed: `throws an error: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`,
    }
  }
}

/** @param {Ran} message */
function post(message) {
  try {
    parentPort?.postMessage(message)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    parentPort?.postMessage({ failed: `exports a value that is not data: ${why}` })
  }
}

const message = await ran()
// Flushes its output first: the parent ends the thread after the message.
await new Promise((resolve) => {
  process.stdout.write('', resolve)
})
post(message)
