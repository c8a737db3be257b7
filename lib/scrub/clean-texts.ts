import type { FieldKind } from './field-kind'

/** The same texts come again and again: an op, a route, a class of a button. Longer ones are rarely the same twice. */
const LONGEST = 256
/** Of each kind, twice over: with the longest of them it is 4 MiB. */
const MOST = 4000

interface Known {
  recent: Set<string>
  before: Set<string>
}

/**
 * Texts in which no rule found anything, so that they need not be looked at again. Whatever somebody sends, so many are
 * remembered: when they are full, those that came again since the last time stay.
 */
export class CleanTexts {
  readonly #known = new Map<FieldKind, Known>()

  has(kind: FieldKind, text: string): boolean {
    if (text.length > LONGEST) return false
    const known = this.#known.get(kind)
    if (known === undefined) return false
    if (known.recent.has(text)) return true
    if (!known.before.has(text)) return false
    this.#put(known, text)
    return true
  }

  add(kind: FieldKind, text: string): void {
    if (text.length > LONGEST) return
    let known = this.#known.get(kind)
    if (known === undefined) {
      known = { recent: new Set(), before: new Set() }
      this.#known.set(kind, known)
    }
    // A part of a text keeps all of it: what is kept is a copy.
    this.#put(known, Buffer.from(text, 'utf16le').toString('utf16le'))
  }

  #put(known: Known, text: string): void {
    if (known.recent.size >= MOST) {
      known.before = known.recent
      known.recent = new Set()
    }
    known.recent.add(text)
  }
}
