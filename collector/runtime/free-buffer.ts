import { MessageChannel } from 'node:worker_threads'

/** Smaller buffers are left to the garbage collector; they may also share their memory with other buffers. */
const LARGE_BYTES = 512 * 1024

const { port1: closedChannel, port2 } = new MessageChannel()
port2.close()

/**
 * Frees the memory of a large body at once, by transferring it to a closed port; the bytes are empty afterwards. The garbage
 * collector sees only one small object and waits: 200 bodies of 20 MiB in turn left 600 MB resident with 256 MiB in use.
 */
export function freeBuffer(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (bytes.byteLength >= LARGE_BYTES && buffer instanceof ArrayBuffer) closedChannel.postMessage(null, [buffer])
}
