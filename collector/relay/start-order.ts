/** One place in the line of those that are to start. */
export interface Turn {
  /** Resolves when everybody before has started, or does not start after all. */
  readonly ready: Promise<void>
  /** It started, or does not start after all: the next may. May be called again. */
  readonly passed: () => void
}

/** Those who get ready at their own pace, and start in the order in which they came: one line of promises, no list. */
export class StartOrder {
  #last: Promise<void> = Promise.resolve()

  next(): Turn {
    const ready = this.#last
    let passed: Turn['passed'] = () => undefined
    this.#last = new Promise((resolve) => {
      // Who passes out of turn lets nobody by that has to wait for those before.
      passed = () => resolve(ready)
    })
    return { ready, passed }
  }
}
