import { type FieldKind, fieldKind } from './field-kind'
import { decodeString } from './json-strings'
import { KnownStrings } from './known-strings'
import { isSecretCookie } from './secret-names'

/** A name in JSON, and what it says of the text under it: told when it is asked for the first time. */
export class FieldName {
  readonly text: string
  #kind: FieldKind | null = null
  #kindOfCookie: FieldKind | null = null

  constructor(text: string) {
    this.text = text
  }

  get kind(): FieldKind {
    this.#kind ??= fieldKind(this.text)
    return this.#kind
  }

  /** Where it is the name of a cookie. */
  get kindOfCookie(): FieldKind {
    this.#kindOfCookie ??= isSecretCookie(this.text) ? 'secret_cookie' : 'plain'
    return this.#kindOfCookie
  }
}

/** The same few hundred come again and again. */
const KNOWN = new KnownStrings<FieldName>()

/** What stands between two quotes, as a name: see `KnownStrings`. */
export function fieldNameAt(json: Uint8Array, start: number, end: number, hash: number): FieldName {
  const known = KNOWN.get(json, start, end, hash)
  if (known !== undefined) return known
  const name = new FieldName(decodeString(json, start, end))
  KNOWN.set(json, start, end, hash, name)
  return name
}
