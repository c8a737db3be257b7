import type { Spool } from '../spool/spool'

/** What is refused is refused at once, whether or not it can be counted: a lock may be held for longer than anybody waits. */
const TIMEOUT_MS = 500

/**
 * Counts refusals as well as can be: where the record is locked or the disk is full, the sender is told all the same what
 * was wrong with what it sent, for one that is told of trouble here instead keeps it and comes again.
 * @returns what never rejects. @param say is told once until it can be counted again.
 */
export function createRefusalCount(parts: {
  readonly spool: Pick<Spool, 'refused'>
  readonly later: (work: () => void, ms: number) => () => void
  readonly say: (sentence: string) => void
}): Spool['refused'] {
  const { spool, later, say } = parts
  let isTold = false
  const count: Spool['refused'] = async (reason, bytes) => {
    try {
      await spool.refused(reason, bytes)
      isTold = false
    } catch (error) {
      if (!isTold) say(`refusals are not counted just now: ${error instanceof Error ? error.message : String(error)}`)
      isTold = true
    }
  }
  return async (reason, bytes) => {
    let cancel: () => void = () => undefined
    const isOver = new Promise<void>((resolve) => {
      cancel = later(resolve, TIMEOUT_MS)
    })
    await Promise.race([count(reason, bytes), isOver])
    cancel()
  }
}
