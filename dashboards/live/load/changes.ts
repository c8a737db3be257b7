const listeners = new Set<() => void>()

/** Tells those who follow no stream themselves that a script or a setting was changed. */
export function tellChanged(): void {
  for (const listener of listeners) listener()
}

/** @returns what ends it. */
export function onChanged(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
