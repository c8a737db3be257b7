import { type FieldKind, fieldKind } from './field-kind'
import { decodeString } from './json-strings'
import { optionOfSecret } from './options'
import { isSecretCookie } from './secret-names'

/** Where a text stands, as far as rules ask. */
export interface Place {
  readonly kind: FieldKind
  /** Under a name that says secret, at whatever depth. */
  readonly beneath: 'secret' | 'secret_cookie' | null
  /** Never touched. */
  readonly exempt: boolean
}

interface Level {
  readonly isArray: boolean
  /** What its parent calls it; of an element of an array what the array is called. */
  readonly called: string
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
  name: string
  index: number
  /** The text of a pair that names the other: `["Authorization", "…"]`, `{ "key": "Authorization", "value": "…" }`. */
  pairName: string | null
  /** Of an array: what the element behind an option is called, and where it is: `["--password", "…"]`. */
  option: { readonly name: string; readonly index: number } | null
  told: Told | null
}

/** What was told last, and of which name: a long one may stand over a million texts. */
interface Told {
  readonly name: string
  readonly kind: FieldKind
}

/** Where a walk is that went deeper than levels are remembered. */
interface Deep {
  /** How many levels are open beyond the deepest that is remembered. */
  many: number
  name: string
  told: Told | null
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

/** Follows a walk over JSON and knows, of each text, what its place says about it. */
export class Places {
  readonly #json: string
  readonly #levels: Level[] = []
  #deep: Deep | null = null

  /** @param json one character a byte. */
  constructor(json: string) {
    this.#json = json
  }

  open(kind: 'object' | 'array'): void {
    const parent = this.#levels.at(-1)
    const under = this.here()
    if (parent !== undefined && this.#levels.length >= MOST_LEVELS) {
      this.#deepen(nameIn(parent), under)
      return
    }
    const called = parent === undefined ? '' : nameIn(parent)
    const isInObject = parent?.isArray === false
    const isAttribute = isInObject && parent.holdsAttributes && kind === 'object'
    // An attribute holds them in its `value`, as a header does.
    const isCookies = under.kind === 'cookies' && !isAttribute
    const holdsCookies = isCookies || (parent?.isArray === true && parent.holdsCookies)
    this.#levels.push({
      isArray: kind === 'array',
      called,
      beneath: beneathOf(under),
      exempt: under.exempt || (isInObject && this.#levels.length === 1 && EXEMPT_AT_TOP.has(called)),
      holdsAttributes: isInObject && called === 'attributes',
      isAttribute,
      isFrame: parent?.isArray === true && called === 'frames' && kind === 'object',
      holdsCookies,
      name: '',
      index: 0,
      pairName: null,
      option: null,
      told: parent?.holdsCookies === holdsCookies ? parent.told : null,
    })
  }

  close(): void {
    if (this.#deep === null) this.#levels.pop()
    else if (this.#deep.many === 1) this.#deep = null
    else {
      this.#deep.many -= 1
      if (this.#deep.many < this.#deep.since) this.#deep.beneath = null
    }
  }

  comma(): void {
    const level = this.#levels.at(-1)
    if (level !== undefined && this.#deep === null) level.index += 1
  }

  name(start: number, end: number): void {
    const within = this.#deep ?? this.#levels.at(-1)
    if (within !== undefined) within.name = decodeString(this.#json.slice(start, end))
  }

  /** Where the text is that the walk is at. */
  here(): Place {
    const level = this.#levels.at(-1)
    if (level === undefined) return NOWHERE
    if (this.#deep === null || level.exempt) return this.#placeIn(level)
    return { kind: toldOf(this.#deep, this.#deep.name, false), beneath: this.#deep.beneath, exempt: false }
  }

  /** The text that the walk is at, for what it says about the one after it. */
  met(text: string): void {
    const level = this.#levels.at(-1)
    if (level === undefined || this.#deep !== null || text.length > LONGEST_NAME) return
    const option = level.isArray ? optionOfSecret(text) : null
    if (option !== null) level.option = { name: option, index: level.index + 1 }
    const parent = this.#levels.at(-2)
    const isFirstOfPair = level.isArray && level.index === 0 && parent?.isArray === true
    if (isFirstOfPair || (!level.isArray && NAMES_OF_PAIRS.has(level.name))) level.pairName = text
  }

  /** The way to the text that the walk is at: names and numbers. */
  path(): readonly (string | number)[] {
    return this.#levels.map((level) => (level.isArray ? level.index : level.name))
  }

  #deepen(name: string, under: Place): void {
    this.#deep ??= { many: 0, name, told: null, beneath: null, since: 0 }
    this.#deep.many += 1
    if (this.#deep.beneath !== null) return
    this.#deep.beneath = beneathOf(under)
    this.#deep.since = this.#deep.many
  }

  #placeIn(level: Level): Place {
    const { beneath } = level
    if (level.exempt) return EXEMPT
    if (level.isAttribute && NOT_OF_THE_SENDER.has(level.name)) return EXEMPT
    if (level.isFrame && EXEMPT_IN_FRAMES.has(level.name)) return EXEMPT
    if (level.holdsCookies && level.isArray && level.pairName === null)
      return { kind: 'cookies', beneath, exempt: false }
    return { kind: toldOf(level, nameIn(level), level.holdsCookies), beneath, exempt: false }
  }
}

function toldOf(at: Level | Deep, name: string, isOfCookie: boolean): FieldKind {
  if (at.told?.name !== name) at.told = { name, kind: kindOf(name, isOfCookie) }
  return at.told.kind
}

function kindOf(name: string, isOfCookie: boolean): FieldKind {
  if (!isOfCookie) return fieldKind(name)
  return isSecretCookie(name) ? 'secret_cookie' : 'plain'
}

/** What holds for all that is in the value here. */
const beneathOf = ({ beneath, kind }: Place): Place['beneath'] =>
  beneath ?? (kind === 'secret' || kind === 'secret_cookie' ? kind : null)

const NOWHERE: Place = { kind: 'plain', beneath: null, exempt: false }
const EXEMPT: Place = { kind: 'plain', beneath: null, exempt: true }

/** What the value is called that stands next in this level. */
function nameIn(level: Level): string {
  if (level.isArray) {
    if (level.option?.index === level.index) return level.option.name
    return level.index === 1 && level.pairName !== null ? level.pairName : level.called
  }
  if (level.name !== 'value') return level.name
  return level.pairName ?? (level.isAttribute ? level.called : level.name)
}
