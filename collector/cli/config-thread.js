/*
 * Runs a configuration in a thread, whose end is not the command's: what it exports by default is posted, or why there
 * is nothing.
 */
import { parentPort, workerData } from 'node:worker_threads'

/** @typedef {{ readonly value: unknown } | { readonly failed: string }} Ran */

/** @returns {Promise<Ran>} */
async function ran() {
  try {
    return { value: (await import(String(workerData))).default }
  } catch (cause) {
    return {
      failed: `ends with an error: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`,
    }
  }
}

/** @param {Ran} message */
function post(message) {
  try {
    parentPort?.postMessage(message)
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause)
    parentPort?.postMessage({ failed: `exports what is no data: ${what}` })
  }
}

const message = await ran()
// What it printed is on its way first: the thread is ended with the answer.
await new Promise((resolve) => {
  process.stdout.write('', resolve)
})
post(message)
