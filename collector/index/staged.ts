/**
 * What is written at the end of a batch, in its transaction. What the envelope at hand changes is kept apart until it is
 * through: one that throws has its rows rolled back, and must not count.
 */
export interface Staged {
  /** The envelope at hand is through: what it changed belongs to the batch. */
  readonly keepEnvelope: () => void
  /** The envelope at hand threw, and its rows are rolled back. */
  readonly dropEnvelope: () => void
  /** Forgets what a batch that failed had changed. */
  readonly abandon: () => void
  readonly finish: () => void
}

/** Several as one, in their order: what an earlier one changes at the end of a batch is there for those after it. */
export function together(all: readonly Staged[]): Staged {
  const each = (name: keyof Staged) => () => {
    for (const one of all) one[name]()
  }
  return {
    keepEnvelope: each('keepEnvelope'),
    dropEnvelope: each('dropEnvelope'),
    abandon: each('abandon'),
    finish: each('finish'),
  }
}
