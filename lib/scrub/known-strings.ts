/** The same strings come again and again: an op, a route, a class of a button. Longer ones are rarely the same twice. */
const LONGEST = 256
/** Twice over: with the longest of them it is 4 MiB. */
const MOST = 4000

interface Known<Value> {
  readonly token: Uint8Array
  readonly value: Value
}

/**
 * What was found out about strings of JSON, by what stands between their quotes: they are known again before anything is
 * made of them. Whatever somebody sends, so many are remembered: when they are full, those that came again since the last
 * time stay. Of two that have one hash the later one does.
 */
export class KnownStrings<Value> {
  #recent = new Map<number, Known<Value>>()
  #before = new Map<number, Known<Value>>()

  /** @param hash of what stands between `start` and `end`, as the walk tells it. */
  get(json: Uint8Array, start: number, end: number, hash: number): Value | undefined {
    const recent = this.#recent.get(hash)
    const known = recent ?? this.#before.get(hash)
    if (known === undefined || !isSame(known.token, json, start, end)) return undefined
    if (recent === undefined) this.#put(hash, known)
    return known.value
  }

  set(json: Uint8Array, start: number, end: number, hash: number, value: Value): void {
    if (end - start > LONGEST) return
    // A view keeps all that it is of: what is kept is a copy.
    this.#put(hash, { token: new Uint8Array(json.subarray(start, end)), value })
  }

  #put(hash: number, known: Known<Value>): void {
    if (this.#recent.size >= MOST) {
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
