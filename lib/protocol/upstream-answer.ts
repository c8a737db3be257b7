/**
 * The same envelope may be accepted later: timeouts, unavailability, and the statuses of proxies and CDNs for a server
 * that is away (520 to 527, 529, 530, 598, 599).
 */
const TEMPORARY: ReadonlySet<number> = new Set([
  408, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 598, 599,
])
/** A mistyped DSN must not kill a backlog. */
const ABOUT_DSN: ReadonlySet<number> = new Set([401, 403, 404])

/** Returns true for a temporary failure of upstream: post the same envelope again later. */
export const isTemporaryFailure = (status: number): boolean => TEMPORARY.has(status)

/** Statuses about one envelope: upstream would probably refuse the same bytes again. */
const ABOUT_ENVELOPE: ReadonlySet<number> = new Set([400, 413])

/** True when the envelope becomes a dead letter: refused, or failed with a status that is not temporary. */
export const isEnvelopeRejected = (status: number): boolean =>
  ABOUT_ENVELOPE.has(status) || (status >= 500 && !isTemporaryFailure(status))

/** The answer is about the DSN or URL, not the envelope. Redirects are not followed: the URL is wrong. */
export const isDsnRejected = (status: number): boolean => ABOUT_DSN.has(status) || (status >= 300 && status < 400)
