import { isStamp, STAMP_MEANT } from '../protocol/stamp'

/**
 * The header that ties what a program sends to a stamp; of an SDK in Node it belongs into
 * `transportOptions: { headers: stampHeaders(stamp) }`.
 * @throws TypeError where it is no stamp
 */
export function stampHeaders(stamp: string): { readonly 'x-waystation-stamp': string } {
  return { 'x-waystation-stamp': checkedStamp(stamp) }
}

/** @throws TypeError where it is no stamp */
export function checkedStamp(stamp: string): string {
  if (typeof stamp === 'string' && isStamp(stamp)) return stamp
  throw new TypeError(`${JSON.stringify(stamp)} is not ${STAMP_MEANT}`)
}
