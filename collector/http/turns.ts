/** Lets at most so many pieces of work run at once; the others wait, first come, first served. */
export type Turns = <Value>(work: () => Promise<Value>) => Promise<Value>

export function createTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // A turn goes from hand to hand; only when nobody waits there is one more.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
