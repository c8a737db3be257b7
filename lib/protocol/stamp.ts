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
