import { callersIn } from './callers'
import { type FieldKind, secretKind } from './field-kind'
import { FieldName, fieldNameAt } from './field-name'
import { decodeString } from './json-strings'
import { optionOfSecret } from './options'

/** Where a text stands, as far as rules ask. */
export interface Place {
  /** Never `peer`: whose address that is has been found out. */
  readonly kind: FieldKind
  /** Under a name that says secret, at whatever depth. */
  readonly beneath: 'secret' | 'secret_cookie' | null
  /** Never touched. */
  readonly exempt: boolean
}

interface Level {
  readonly parent: Level | null
  /** How many levels are open with this one. */
  readonly depth: number
  /** Its number among all that were opened, from 1 on. */
  readonly number: number
  readonly isArray: boolean
  /** What its parent calls it; of an element of an array what the array is called. */
  readonly called: FieldName
  readonly beneath: Place['beneath']
  readonly exempt: boolean
  /** The object that holds attributes: each is `{ value, type }`, or a text. */
  readonly holdsAttributes: boolean
  /** One attribute: its `type` and `unit` are not the sender's words. */
  readonly isAttribute: boolean
  /** Holds cookies by name. */
  readonly holdsCookies: boolean
  readonly isFrame: boolean
  /** Where the name in it was met last; of an array how many elements were before. */
  name: FieldName
  index: number
  /** The text of a pair that names the other: `["Authorization", "…"]`, `{ "key": "Authorization", "value": "…" }`. */
  pairName: FieldName | null
  /** Of an array: what the element behind an option is called, and where it is: `["--password", "…"]`. */
  option: { readonly name: FieldName; readonly index: number } | null
}

/** Where a walk is that went deeper than levels are remembered. */
interface Deep {
  /** How many levels are open beyond the deepest that is remembered. */
  many: number
  name: FieldName
  /** What the outermost name says that is secret, and how deep its value began. */
  beneath: Place['beneath']
  since: number
}

/** Of deeper ones no more is known than the last name, and whether a secret one is above: memory does not grow with what somebody nests. */
const MOST_LEVELS = 256
/** Removal is told there already, by names that say secret; and of whatever names packages have. */
const EXEMPT_AT_TOP = new Set(['debug_meta', '_meta', 'modules'])
const NOT_OF_THE_SENDER = new Set(['type', 'unit'])
const EXEMPT_IN_FRAMES = new Set(['filename', 'abs_path'])
const NAMES_OF_PAIRS = new Set(['key', 'name'])
/** What names the other text of a pair is short. */
const LONGEST_NAME = 128
/** It has so many bytes at most: each sign may be escaped. */
const LONGEST_NAME_BYTES = 6 * LONGEST_NAME
const HYPHEN = 0x2d
const BACKSLASH = 0x5c
const NO_NAME = new FieldName('')

/** Follows a walk over JSON and knows, of each text, what its place says about it. */
export class Places {
  readonly #json: Uint8Array
  #level: Level | null = null
  #deep: Deep | null = null
  #opened = 0
  /** Found out when the first peer is met: most payloads have none. */
  #callers: ReadonlySet<number> | null = null

  constructor(json: Uint8Array) {
    this.#json = json
  }

  open(kind: 'object' | 'array'): void {
    const parent = this.#level
    const under = this.here()
    this.#opened += 1
    if (parent !== null && parent.depth >= MOST_LEVELS) {
      this.#deepen(nameIn(parent), under)
      return
    }
    const called = parent === null ? NO_NAME : nameIn(parent)
    const isInObject = parent?.isArray === false
    const isAttribute = isInObject && parent.holdsAttributes && kind === 'object'
    // An attribute holds them in its `value`, as a header does.
    const isCookies = under.kind === 'cookies' && !isAttribute
    const holdsCookies = isCookies || (parent?.isArray === true && parent.holdsCookies)
    this.#level = {
      parent,
      depth: (parent?.depth ?? 0) + 1,
      number: this.#opened,
      isArray: kind === 'array',
      called,
      beneath: beneathOf(under),
      exempt: under.exempt || (isInObject && parent.depth === 1 && EXEMPT_AT_TOP.has(called.text)),
      holdsAttributes: isInObject && called.text === 'attributes',
      isAttribute,
      isFrame: parent?.isArray === true && called.text === 'frames' && kind === 'object',
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
      if (this.#deep.many < this.#deep.since) this.#deep.beneath = null
    }
  }

  comma(): void {
    if (this.#level !== null && this.#deep === null) this.#level.index += 1
  }

  name(start: number, end: number, hash: number): void {
    const within = this.#deep ?? this.#level
    if (within !== null) within.name = fieldNameAt(this.#json, start, end, hash)
  }

  /** Where the text is that the walk is at. */
  here(): Place {
    const level = this.#level
    if (level === null) return NOWHERE
    if (this.#deep === null || level.exempt) return this.#placeIn(level)
    const { kind } = this.#deep.name
    return { kind: kind === 'peer' ? 'address' : kind, beneath: this.#deep.beneath, exempt: false }
  }

  /** The text that the walk is at, for what it says about the one after it. */
  met(start: number, end: number, hash: number): void {
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

  /** The way to the text that the walk is at: names and numbers. */
  path(): readonly (string | number)[] {
    const way: (string | number)[] = []
    for (let level = this.#level; level !== null; level = level.parent)
      way.push(level.isArray ? level.index : level.name.text)
    return way.reverse()
  }

  #deepen(name: FieldName, under: Place): void {
    this.#deep ??= { many: 0, name, beneath: null, since: 0 }
    this.#deep.many += 1
    if (this.#deep.beneath !== null) return
    this.#deep.beneath = beneathOf(under)
    this.#deep.since = this.#deep.many
  }

  #placeIn(level: Level): Place {
    const { beneath } = level
    if (level.exempt) return EXEMPT
    if (level.isAttribute && NOT_OF_THE_SENDER.has(level.name.text)) return EXEMPT
    if (level.isFrame && EXEMPT_IN_FRAMES.has(level.name.text)) return EXEMPT
    if (level.holdsCookies && level.isArray && level.pairName === null)
      return { kind: 'cookies', beneath, exempt: false }
    const name = nameIn(level)
    const kind = level.holdsCookies ? name.kindOfCookie : name.kind
    return { kind: kind === 'peer' ? this.#kindOfPeer(level) : kind, beneath, exempt: false }
  }

  /** Who was called is a server, and nobody's address; who called may be a person. */
  #kindOfPeer(level: Level): FieldKind {
    const span = (level.isAttribute ? level.parent : level)?.parent ?? null
    this.#callers ??= callersIn(this.#json)
    return span !== null && this.#callers.has(span.number) ? 'plain' : 'address'
  }
}

/** What holds for all that is in the value here. */
const beneathOf = ({ beneath, kind }: Place): Place['beneath'] => beneath ?? secretKind(kind)

const NOWHERE: Place = { kind: 'plain', beneath: null, exempt: false }
const EXEMPT: Place = { kind: 'plain', beneath: null, exempt: true }

/** What the value is called that stands next in this level. */
function nameIn(level: Level): FieldName {
  if (level.isArray) {
    if (level.option?.index === level.index) return level.option.name
    return level.index === 1 && level.pairName !== null ? level.pairName : level.called
  }
  if (level.name.text !== 'value') return level.name
  return level.pairName ?? (level.isAttribute ? level.called : level.name)
}
