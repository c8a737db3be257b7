import { decodeString } from '../protocol/json-scanner'
import { callersIn } from './callers'
import { type FieldKind, FieldName, fieldNameAt, secretKind } from './field-name'
import { optionOfSecret } from './parameters'

export interface TextContext {
  /** Never `peer`: it is resolved to `address` or `plain`. */
  readonly kind: FieldKind
  /** The text is below a secret name, at any depth. */
  readonly secretAbove: 'secret' | 'secret_cookie' | null
  readonly exempt: boolean
  /** The name of its field; for an element of an array the name of the array. */
  readonly name: string
}

interface Level {
  readonly parent: Level | null
  /** Number of open levels, including this one. */
  readonly depth: number
  /** Its number among all opened levels, from 1. */
  readonly number: number
  readonly isArray: boolean
  /** Its name in its parent; for an element of an array the name of the array. */
  readonly calledName: FieldName
  readonly secretAbove: TextContext['secretAbove']
  readonly exempt: boolean
  /** An object of attributes: each is `{ value, type }`, or a text. */
  readonly holdsAttributes: boolean
  /** One attribute: its `type` and `unit` are not the sender's text. */
  readonly isAttribute: boolean
  readonly holdsCookies: boolean
  readonly isFrame: boolean
  /** The last name in it; `index` counts the elements of an array. */
  name: FieldName
  index: number
  /** The name in a pair: `["Authorization", "…"]`, `{ "key": "Authorization", "value": "…" }`. */
  pairName: FieldName | null
  /** In an array: the option whose value is the next element, `["--password", "…"]`, and the index of that value. */
  option: { readonly name: FieldName; readonly index: number } | null
}

/** State below the deepest level that is stored. */
interface Deep {
  many: number
  name: FieldName
  /** The kind of secret by the outermost secret name, and the level where its value began. */
  secretAbove: TextContext['secretAbove']
  since: number
}

/** Below this depth only the last name and the secret above are stored, so that nesting does not use up memory. */
const MOST_LEVELS = 256
/** These contain reports of removals, ids of debug files, and names of packages. */
const EXEMPT_AT_TOP = new Set(['debug_meta', '_meta', 'modules'])
const NOT_OF_THE_SENDER = new Set(['type', 'unit'])
const EXEMPT_IN_FRAMES = new Set(['filename', 'abs_path'])
const NAMES_OF_PAIRS = new Set(['key', 'name'])
/** The name in a pair is short. */
const LONGEST_NAME = 128
/** Each character may be escaped with six bytes. */
const LONGEST_NAME_BYTES = 6 * LONGEST_NAME
const HYPHEN = 0x2d
const BACKSLASH = 0x5c
const NO_NAME = new FieldName('')

/** Follows `visitJson` and returns the context of each text. */
export class ContextTracker {
  readonly #json: Uint8Array
  #level: Level | null = null
  #deep: Deep | null = null
  #opened = 0
  /** Computed for the first peer: most payloads have none. */
  #callers: ReadonlySet<number> | null = null

  constructor(json: Uint8Array) {
    this.#json = json
  }

  open(kind: 'object' | 'array'): void {
    const parent = this.#level
    const under = this.context()
    this.#opened += 1
    if (parent !== null && parent.depth >= MOST_LEVELS) {
      this.#deepen(nameIn(parent), under)
      return
    }
    const calledName = parent === null ? NO_NAME : nameIn(parent)
    const isInObject = parent?.isArray === false
    const isAttribute = isInObject && parent.holdsAttributes && kind === 'object'
    // An attribute has its cookies in `value`, as a header has.
    const isCookies = under.kind === 'cookies' && !isAttribute
    const holdsCookies = isCookies || (parent?.isArray === true && parent.holdsCookies)
    this.#level = {
      parent,
      depth: (parent?.depth ?? 0) + 1,
      number: this.#opened,
      isArray: kind === 'array',
      calledName,
      secretAbove: inheritedSecret(under),
      exempt: under.exempt || (isInObject && parent.depth === 1 && EXEMPT_AT_TOP.has(calledName.text)),
      holdsAttributes: isInObject && calledName.text === 'attributes',
      isAttribute,
      isFrame: parent?.isArray === true && calledName.text === 'frames' && kind === 'object',
      holdsCookies,
      name: NO_NAME,
      index: 0,
      pairName: null,
      option: null,
    }
  }

  close(): void {
    if (this.#deep === null) this.#level = this.#level?.parent ?? null
    else if (this.#deep.many === 1) this.#deep = null
    else {
      this.#deep.many -= 1
      if (this.#deep.many < this.#deep.since) this.#deep.secretAbove = null
    }
  }

  comma(): void {
    if (this.#level !== null && this.#deep === null) this.#level.index += 1
  }

  name(start: number, end: number, hash: number): void {
    const within = this.#deep ?? this.#level
    if (within !== null) within.name = fieldNameAt(this.#json, start, end, hash)
  }

  context(): TextContext {
    const level = this.#level
    if (level === null) return NOWHERE
    if (this.#deep === null || level.exempt) return this.#contextIn(level)
    const { kind, text: name } = this.#deep.name
    return { kind: kind === 'peer' ? 'address' : kind, secretAbove: this.#deep.secretAbove, exempt: false, name }
  }

  /** Uses the current text as a name for the next one: an option or a pair. */
  noteText(start: number, end: number, hash: number): void {
    const level = this.#level
    if (level === null || this.#deep !== null || end - start > LONGEST_NAME_BYTES) return
    const first = this.#json[start]
    if (level.isArray && (first === HYPHEN || first === BACKSLASH)) {
      const option = optionOfSecret(decodeString(this.#json, start, end))
      if (option !== null) level.option = { name: new FieldName(option), index: level.index + 1 }
    }
    const isFirstOfPair = level.isArray && level.index === 0 && level.parent?.isArray === true
    if (!isFirstOfPair && (level.isArray || !NAMES_OF_PAIRS.has(level.name.text))) return
    const name = fieldNameAt(this.#json, start, end, hash)
    if (name.text.length <= LONGEST_NAME) level.pairName = name
  }

  path(): readonly (string | number)[] {
    const path: (string | number)[] = []
    for (let level = this.#level; level !== null; level = level.parent)
      path.push(level.isArray ? level.index : level.name.text)
    return path.reverse()
  }

  #deepen(name: FieldName, under: TextContext): void {
    this.#deep ??= { many: 0, name, secretAbove: null, since: 0 }
    this.#deep.many += 1
    if (this.#deep.secretAbove !== null) return
    this.#deep.secretAbove = inheritedSecret(under)
    this.#deep.since = this.#deep.many
  }

  #contextIn(level: Level): TextContext {
    const { secretAbove } = level
    if (level.exempt) return EXEMPT
    if (level.isAttribute && NOT_OF_THE_SENDER.has(level.name.text)) return EXEMPT
    if (level.isFrame && EXEMPT_IN_FRAMES.has(level.name.text)) return EXEMPT
    if (level.holdsCookies && level.isArray && level.pairName === null)
      return { kind: 'cookies', secretAbove, exempt: false, name: level.calledName.text }
    const name = nameIn(level)
    const kind = level.holdsCookies ? name.kindOfCookie : name.kind
    return { kind: kind === 'peer' ? this.#kindOfPeer(level) : kind, secretAbove, exempt: false, name: name.text }
  }

  /** The peer of a call is a server, whose address is not personal. A caller may be a person. */
  #kindOfPeer(level: Level): FieldKind {
    const span = (level.isAttribute ? level.parent : level)?.parent ?? null
    this.#callers ??= callersIn(this.#json)
    return span !== null && this.#callers.has(span.number) ? 'plain' : 'address'
  }
}

/** The kind of secret that applies to everything inside the current value. */
export const inheritedSecret = ({
  secretAbove,
  kind,
}: Pick<TextContext, 'kind' | 'secretAbove'>): TextContext['secretAbove'] => secretAbove ?? secretKind(kind)

const NOWHERE: TextContext = { kind: 'plain', secretAbove: null, exempt: false, name: '' }
const EXEMPT: TextContext = { kind: 'plain', secretAbove: null, exempt: true, name: '' }

function nameIn(level: Level): FieldName {
  if (level.isArray) {
    if (level.option?.index === level.index) return level.option.name
    return level.index === 1 && level.pairName !== null ? level.pairName : level.calledName
  }
  if (level.name.text !== 'value') return level.name
  return level.pairName ?? (level.isAttribute ? level.calledName : level.name)
}
