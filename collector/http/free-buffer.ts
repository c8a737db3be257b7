import { MessageChannel } from 'node:worker_threads'

/** Below this a buffer may wait for the garbage collector; it may also share its memory with others. */
const LARGE_BYTES = 512 * 1024

const { port1: nowhere, port2 } = new MessageChannel()
port2.close()

/**
 * Gives a large body's memory back at once. The garbage collector sees a body as one small object and is in no hurry:
 * measured, 200 bodies of 20 MiB in turn left 600 MB resident where 256 MiB were in use. What is transferred to a closed
 * port is freed on the spot. The bytes are empty afterwards.
 */
export function freeBuffer(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (bytes.byteLength >= LARGE_BYTES && buffer instanceof ArrayBuffer) nowhere.postMessage(null, [buffer])
}
