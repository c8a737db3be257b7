import { type FieldKind, fieldKind } from './field-kind'
import { decodeString } from './json-strings'
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
}

/** Deeper levels are taken for this one: what is remembered does not grow with what somebody nests. */
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
  #tooDeep = 0

  /** @param json one character a byte. */
  constructor(json: string) {
    this.#json = json
  }

  open(kind: 'object' | 'array'): void {
    const parent = this.#levels.at(-1)
    if (this.#levels.length >= MOST_LEVELS) {
      this.#tooDeep += 1
      return
    }
    const under = this.here()
    const called = parent === undefined ? '' : nameIn(parent)
    const isInObject = parent?.isArray === false
    this.#levels.push({
      isArray: kind === 'array',
      called,
      beneath: under.beneath ?? (under.kind === 'secret' || under.kind === 'secret_cookie' ? under.kind : null),
      exempt: under.exempt || (isInObject && this.#levels.length === 1 && EXEMPT_AT_TOP.has(called)),
      holdsAttributes: isInObject && called === 'attributes',
      isAttribute: isInObject && parent.holdsAttributes && kind === 'object',
      isFrame: parent?.isArray === true && called === 'frames' && kind === 'object',
      holdsCookies: under.kind === 'cookies' || (parent?.isArray === true && parent.holdsCookies),
      name: '',
      index: 0,
      pairName: null,
    })
  }

  close(): void {
    if (this.#tooDeep > 0) this.#tooDeep -= 1
    else this.#levels.pop()
  }

  comma(): void {
    const level = this.#levels.at(-1)
    if (level !== undefined && this.#tooDeep === 0) level.index += 1
  }

  name(start: number, end: number): void {
    const level = this.#levels.at(-1)
    if (level !== undefined) level.name = decodeString(this.#json.slice(start, end))
  }

  /** Where the text is that the walk is at. */
  here(): Place {
    const level = this.#levels.at(-1)
    return level === undefined ? NOWHERE : this.#placeIn(level)
  }

  /** The text that the walk is at, for what it says about the one after it. */
  met(text: string): void {
    const level = this.#levels.at(-1)
    if (level === undefined || text.length > LONGEST_NAME) return
    const parent = this.#levels.at(-2)
    const isFirstOfPair = level.isArray && level.index === 0 && parent?.isArray === true
    if (isFirstOfPair || (!level.isArray && NAMES_OF_PAIRS.has(level.name))) level.pairName = text
  }

  /** The way to the text that the walk is at: names and numbers. */
  path(): readonly (string | number)[] {
    return this.#levels.map((level) => (level.isArray ? level.index : level.name))
  }

  #placeIn(level: Level): Place {
    const { beneath } = level
    if (level.exempt) return EXEMPT
    if (level.isAttribute && NOT_OF_THE_SENDER.has(level.name)) return EXEMPT
    if (level.isFrame && EXEMPT_IN_FRAMES.has(level.name)) return EXEMPT
    const name = nameIn(level)
    if (!level.holdsCookies) return { kind: fieldKind(name), beneath, exempt: false }
    if (level.isArray && level.pairName === null) return { kind: 'cookies', beneath, exempt: false }
    return { kind: isSecretCookie(name) ? 'secret_cookie' : 'plain', beneath, exempt: false }
  }
}

const NOWHERE: Place = { kind: 'plain', beneath: null, exempt: false }
const EXEMPT: Place = { kind: 'plain', beneath: null, exempt: true }

/** What the value is called that stands next in this level. */
function nameIn(level: Level): string {
  if (level.isArray) return level.index === 1 && level.pairName !== null ? level.pairName : level.called
  if (level.name !== 'value') return level.name
  return level.pairName ?? (level.isAttribute ? level.called : level.name)
}
