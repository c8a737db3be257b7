import { isStamp, PAGE_HEADER, STAMP_HEADER, stampGiven, stampNote } from '../protocol/request'

export const RECEIPT_HEADER = 'x-waystation-receipt'
/** How many ms an envelope was kept in the lifeboat: nobody of those who sent it reads the answer any more. */
export const KEPT_HEADER = 'x-waystation-kept'

type Passes = (value: string) => boolean

/** The facts of a request are kept in a file's first line; a longer header is left out. */
const MAX_VALUE_LENGTH = 2048
const short: Passes = (value) => value.length <= MAX_VALUE_LENGTH
const token: Passes = (value) => /^[A-Za-z0-9_-]{1,64}$/.test(value)

/** All that is ever passed on. Relay reads these client hints; others, cookies and credentials stay here. */
const PASSED = new Map<string, Passes>([
  ['content-type', short],
  ['content-encoding', short],
  ['user-agent', short],
  ['origin', short],
  ['sec-ch-ua', short],
  ['sec-ch-ua-arch', short],
  ['sec-ch-ua-bitness', short],
  ['sec-ch-ua-form-factors', short],
  ['sec-ch-ua-full-version-list', short],
  ['sec-ch-ua-mobile', short],
  ['sec-ch-ua-model', short],
  ['sec-ch-ua-platform', short],
  ['sec-ch-ua-platform-version', short],
  ['sec-ch-ua-wow64', short],
  [STAMP_HEADER, isStamp],
  [PAGE_HEADER, token],
  ['x-waystation-lab', (value) => value === '1'],
  ['x-forwarded-for', (value) => /^[0-9A-Fa-f.:,[\] ]{1,512}$/.test(value)],
])

/**
 * The headers that go on with an envelope.
 * @param trustForwardedFor only with a trusted hop in front, for anybody can write an X-Forwarded-For.
 */
export function passedOn(received: Headers, trustForwardedFor: boolean): Readonly<Record<string, string>> {
  const stamp = stampOf(received)
  const passed: Record<string, string> = {}
  for (const [name, passes] of PASSED) {
    if (name === 'x-forwarded-for' && !trustForwardedFor) continue
    const value = name === STAMP_HEADER ? stamp : received.get(name)
    if (value !== null && passes(value)) passed[name] = value
  }
  return passed
}

/** What to tell who stamped with what is no stamp; `null` where there is nothing to tell. */
export function noteOf(received: Headers): string | null {
  const stamp = stampOf(received)
  return stamp === null || isStamp(stamp) ? null : stampNote(stamp)
}

/** Headers read back from a file are held to the same rules; what does not keep them is no file of ours. */
export function isPassedOn(headers: unknown): headers is Readonly<Record<string, string>> {
  if (typeof headers !== 'object' || headers === null) return false
  return Object.entries(headers).every(
    ([name, value]: [string, unknown]) =>
      typeof value === 'string' && !/[^\t\x20-\x7e\x80-\xff]/.test(value) && PASSED.get(name)?.(value) === true,
  )
}

const stampOf = (received: Headers): string | null => stampGiven(received.get('cookie'), received.get(STAMP_HEADER))
