/**
 * How a submission came in, which is also what kind of body it is. `envelope` an SDK posted it, `tunnel` a tunnel
 * forwarded it, `stream` it is a second copy, `store` an old SDK posted a bare event, `security` a browser reported a
 * breach of a policy.
 */
export const ENDPOINTS = ['envelope', 'tunnel', 'stream', 'store', 'security'] as const
export type Endpoint = (typeof ENDPOINTS)[number]

/** The cookie that ties what a browser and the server behind its pages send to a test or a person. */
export const STAMP_COOKIE = 'waystation-stamp'
/** The header that programs stamp what they send with, and that a tunnel makes of the cookie. */
export const STAMP_HEADER = 'x-waystation-stamp'

/** What a stamp is made of, for people. */
export const STAMP_MEANT =
  'a stamp of 1 to 64 letters, digits and _ - . / : @, which begins with a letter, a digit, _ or -'

/** A word of the sender's that ties what it sends to a test, a build or a person: never markup or control characters. */
export const isStamp = (text: string): boolean => /^[A-Za-z0-9_-][A-Za-z0-9_\-./:@]{0,63}$/.test(text)

/** Tells a sender that what it stamped with is left out. One line of printable ASCII, for a header. */
export const stampNote = (given: string): string =>
  `X-Waystation-Stamp is left out: ${given.slice(0, 64).replace(/[^\x20-\x7e]/g, '?')} is not ${STAMP_MEANT}`

const COOKIE = new RegExp(`(?:^|;)\\s*${STAMP_COOKIE}=([^;]*)`)

/**
 * What a request is stamped with, well formed or not; `null` when with nothing.
 * The cookie wins even when it is malformed: a page may not overrule it with a header.
 */
export const stampGiven = (cookie: string | null, header: string | null): string | null =>
  COOKIE.exec(cookie ?? '')?.[1]?.trim() ?? header

/**
 * A receipt that sorts by its time (a UUID of version 7, RFC 9562 section 5.7): of what is made one after the other the
 * index of a database grows at its end. With random ones each envelope would write a page of its own.
 * @param now ms since the epoch. @param random a random UUID.
 */
export function receiptAt(now: number, random: string): string {
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${random.slice(15)}`
}

/** By which a page names itself, at random per page load: limits live as long as a page, so only with it can one be judged. */
export const PAGE_HEADER = 'x-waystation-page'

/**
 * Is this host name (without port, IPv6 with or without brackets) certain to be this machine?
 * Only literal loopback addresses and the reserved name `localhost` count: anything else could be made to resolve
 * here by whoever owns the name, which is how a rebinding page gets in.
 */
export function isLoopbackName(name: string): boolean {
  const host = name.toLowerCase().replace(/^\[|\]$/g, '')
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** `localhost:3000` → `localhost`, `[::1]:80` → `::1`. */
export function hostName(hostHeader: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(hostHeader)
  if (bracketed?.[1] !== undefined) return bracketed[1].toLowerCase()
  return hostHeader.replace(/:\d*$/, '').toLowerCase()
}
