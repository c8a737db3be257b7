/** Passes each value to all listeners, in the order in which they subscribed. */
export interface Feed<Value> {
  readonly publish: (value: Value) => void
  /** @returns ends the subscription */
  readonly subscribe: (listener: (value: Value) => void) => () => void
}

export function createFeed<Value>(): Feed<Value> {
  const listeners = new Set<(value: Value) => void>()
  return {
    publish: (value) => {
      for (const listener of listeners) listener(value)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
