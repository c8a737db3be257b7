/** Expectations that judge a recording just now. */
export interface Judging {
  /** Keeps one until it is judged. */
  readonly keep: <Judged>(judged: Promise<Judged>) => Promise<Judged>
  /** Resolves when none is left, and the process has told of what failed and nobody awaited. */
  readonly none: () => Promise<void>
}

export function createJudging(): Judging {
  const open = new Set<Promise<unknown>>()
  return {
    keep: (judged) => {
      open.add(judged)
      const over = (): boolean => open.delete(judged)
      judged.then(over, over)
      return judged
    },
    none: async () => {
      if (open.size === 0) return
      await Promise.allSettled(open)
      // It tells when its turn is over.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
