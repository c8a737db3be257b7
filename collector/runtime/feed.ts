/** Passes each value to all listeners, in the order in which they subscribed. */
export interface Feed<Value> {
  readonly publish: (value: Value) => void
  readonly subscribe: (listener: (value: Value) => void) => void
}

export function createFeed<Value>(): Feed<Value> {
  const listeners: ((value: Value) => void)[] = []
  return {
    publish: (value) => {
      for (const listener of listeners) listener(value)
    },
    subscribe: (listener) => {
      listeners.push(listener)
    },
  }
}
