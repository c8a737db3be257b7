/**
 * A receipt that sorts by its time (a UUID of version 7, RFC 9562 section 5.7): of what is made one after the other the
 * index of a database grows at its end. With random ones each envelope would write a page of its own.
 * @param now ms since the epoch. @param random a random UUID.
 */
export function receiptAt(now: number, random: string): string {
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${random.slice(15)}`
}
