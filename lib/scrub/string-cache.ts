/** The same strings recur: an op, a route, a CSS class. Longer ones rarely do. */
const MAX_CACHED_BYTES = 256
/** Per generation. At the maximum length the cache takes 4 MiB. */
const MAX_CACHED = 4000

interface Known<Value> {
  readonly token: Uint8Array
  readonly value: Value
}

/**
 * Caches results by the bytes of a JSON string, in two generations: a full recent one replaces the older one, so
 * strings that recur stay. Of two strings with one hash the later one is kept.
 */
export class StringCache<Value> {
  #recent = new Map<number, Known<Value>>()
  #before = new Map<number, Known<Value>>()

  /** @param hash of the bytes between `start` and `end`, from `visitJson`. */
  get(json: Uint8Array, start: number, end: number, hash: number): Value | undefined {
    const recent = this.#recent.get(hash)
    const known = recent ?? this.#before.get(hash)
    if (known === undefined || !isSame(known.token, json, start, end)) return undefined
    if (recent === undefined) this.#put(hash, known)
    return known.value
  }

  set(json: Uint8Array, start: number, end: number, hash: number, value: Value): void {
    if (end - start > MAX_CACHED_BYTES) return
    // A copy: a view would keep the whole payload in memory.
    this.#put(hash, { token: new Uint8Array(json.subarray(start, end)), value })
  }

  #put(hash: number, known: Known<Value>): void {
    if (this.#recent.size >= MAX_CACHED) {
      this.#before = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(hash, known)
  }
}

function isSame(token: Uint8Array, json: Uint8Array, start: number, end: number): boolean {
  if (token.length !== end - start) return false
  for (let at = 0; at < token.length; at += 1) if (token[at] !== json[start + at]) return false
  return true
}
