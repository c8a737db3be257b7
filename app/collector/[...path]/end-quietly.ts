/** How fetch names a connection that the other side broke, or on which it fell silent. */
const BREAKS = new Set(['UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT', 'ECONNRESET'])

/**
 * The same stream, but when the other side's connection breaks it ends, as a stream does whose source has no more: its
 * reader comes again by itself, and Next has nothing to complain of in the terminal. Any other error stays an error.
 */
export function endQuietly(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          if (!isBreak(error)) throw error
          controller.close()
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read before it is asked for, as without us.
    { highWaterMark: 0 },
  )
}

/** fetch says only `terminated`; what happened is in the cause. */
function isBreak(error: unknown): boolean {
  const cause = error instanceof TypeError ? error.cause : null
  return cause instanceof Error && 'code' in cause && BREAKS.has(String(cause.code))
}
