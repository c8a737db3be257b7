/**
 * Statuses behind which the same envelope may be taken later: those that say so, and those by which a proxy or a CDN says
 * that whoever is behind it is away or overloaded (520 to 527, 529, 530, 598, 599).
 */
const PASSING: ReadonlySet<number> = new Set([
  408, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 598, 599,
])
/** A mistyped DSN must not kill a backlog. */
const OF_THE_DSN: ReadonlySet<number> = new Set([401, 403, 404])

/** Does an upstream that answers this say: later? */
export const isPassing = (status: number): boolean => PASSING.has(status)

/** These speak of the one envelope alone: sent again as it is, it would be refused again, until something else changes. */
const OF_THE_ENVELOPE: ReadonlySet<number> = new Set([400, 413])

/**
 * Does an upstream that answers this make a dead letter of the envelope? Also by a fault of its own that it does not
 * call passing: nobody promises that it is over when we try again.
 */
export const isOfTheEnvelope = (status: number): boolean =>
  OF_THE_ENVELOPE.has(status) || (status >= 500 && !isPassing(status))

/** Does it speak of the DSN or the address, and of no envelope? A redirect is never followed, so the address is wrong. */
export const isOfTheDsn = (status: number): boolean => OF_THE_DSN.has(status) || (status >= 300 && status < 400)
