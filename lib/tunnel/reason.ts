/**
 * Why something failed, in one line. `fetch` says only "fetch failed" and hides the reason in `cause`, and a name with two
 * addresses (localhost) fails with an AggregateError without a message: so the deepest one that says something is taken.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join(', ')
  return error.message === '' ? error.name : error.message
}

/** The code of a system error (`ENOENT`), else an empty string. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
