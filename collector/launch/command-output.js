import { INTERRUPTED, TERMINATED } from './stop-requests.js'

const OUTPUTS = [process.stdout, process.stderr]

/** A closed terminal or pipe ends the printing; stopping continues. */
export function ignoreClosedOutput() {
  for (const stream of OUTPUTS) {
    stream.on('error', (cause) => {
      if (!('code' in cause) || (cause.code !== 'EPIPE' && cause.code !== 'EIO')) throw cause
    })
  }
}

/**
 * Exits once the reader has taken everything that was printed. A pipe holds 64 KiB, and `process.exit` drops the rest. Open
 * handles do not keep the process alive; Ctrl-C and SIGTERM end the wait for a reader that does not read.
 * @param {number} code
 * @returns {Promise<never>}
 */
export async function exitWhenWritten(code) {
  process.once('SIGINT', () => process.exit(INTERRUPTED))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(TERMINATED))
  await Promise.all(OUTPUTS.map(written))
  process.exit(code)
}

/** @param {NodeJS.WriteStream} stream @returns {Promise<void>} resolves after an error, too: there is no reader then */
async function written(stream) {
  if (stream.writableLength === 0) return
  await new Promise((resolve) => {
    stream.write('', resolve)
  })
}
