/** After a failure the collector is left alone so long; then one envelope tries. */
const HOLD_MS = 1000

export interface Gate {
  /** May this envelope go to the collector? Whoever gets a `true` must report `succeeded` or `failed`. */
  enter(): boolean
  succeeded(): void
  failed(cause: string): void
  /** Why the collector is left alone; `null` when it is not. */
  cause(): string | null
}

/** Keeps a dead collector from costing every envelope its time-out. */
export function createGate(now: () => number, changed: (cause: string | null) => void): Gate {
  let failure: { readonly at: number; readonly cause: string } | null = null
  let isProbing = false
  return {
    enter() {
      if (failure === null) return true
      const waited = now() - failure.at
      // A clock set back makes this negative; then it would be wrong to wait for it to catch up.
      if (isProbing || (waited >= 0 && waited < HOLD_MS)) return false
      isProbing = true
      return true
    },
    succeeded() {
      isProbing = false
      if (failure === null) return
      failure = null
      changed(null)
    },
    failed(cause) {
      isProbing = false
      const wasUp = failure === null
      failure = { at: now(), cause }
      if (wasUp) changed(cause)
    },
    cause: () => failure?.cause ?? null,
  }
}
