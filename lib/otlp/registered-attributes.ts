import { addToGroup } from '../group-by'
import registry from './attribute-registry.json' with { type: 'json' }

/** The type of an attribute's value: `string[]` is a list of texts. */
export type AttributeType = 'string' | 'string[]' | 'integer' | 'double' | 'boolean'

/** An attribute of the semantic conventions of Sentry or OpenTelemetry. */
export interface RegisteredAttribute {
  /** `null` where only OpenTelemetry registers it: its package contains no types. */
  readonly type: AttributeType | null
  readonly isDeprecated: boolean
  /** The name to use instead of a deprecated one; `null` when it has no replacement. */
  readonly replacement: string | null
  /** The only level at which it belongs; `null` when there are several. */
  readonly level: 'resource' | 'entry' | null
}

/** Groups of attributes that describe one operation, and never a program. `url` and `server` may describe a scrape target. */
const OF_AN_ENTRY = /^(?:http|db|messaging|rpc|gen_ai|exception|graphql|feature_flag|error)\./

const FAMILIES: ReadonlyMap<string, readonly string[]> = new Map(
  registry.families.flatMap((names) => names.map((name) => [name, names] as const)),
)

type Attributes = ReadonlyMap<string, RegisteredAttribute>
let described: Attributes | null = null
/** Described at the first question, because the threads that only look for names keep them for nothing. */
const attributes = (): Attributes => {
  described ??= describeAll()
  return described
}

function describeAll(): Attributes {
  const resource = new Set(registry.resource)
  const deprecated: Readonly<Record<string, string | null>> = registry.deprecated
  const describe = (name: string, type: AttributeType | null): RegisteredAttribute => ({
    type,
    isDeprecated: Object.hasOwn(deprecated, name),
    replacement: deprecated[name] ?? null,
    level: resource.has(name) ? 'resource' : OF_AN_ENTRY.test(name) ? 'entry' : null,
  })
  const types: readonly (readonly [AttributeType | null, readonly string[]])[] = [
    ['string', registry.types.string],
    ['string[]', registry.types['string[]']],
    ['integer', registry.types.integer],
    ['double', registry.types.double],
    ['boolean', registry.types.boolean],
    [null, registry.untyped],
  ]
  return new Map(types.flatMap(([type, names]) => names.map((name) => [name, describe(name, type)] as const)))
}

/** The place of the sender's own key in a name such as `http.request.header.<key>`. */
const KEY = '<key>'

interface Template {
  readonly before: string
  readonly after: string
  readonly attribute: RegisteredAttribute
}

let grouped: ReadonlyMap<string, readonly Template[]> | null = null
/** By the first word of their names: each attribute of each span is looked up. */
const templates = (): ReadonlyMap<string, readonly Template[]> => {
  grouped ??= groupTemplates()
  return grouped
}

function groupTemplates(): ReadonlyMap<string, readonly Template[]> {
  const groups = new Map<string, Template[]>()
  for (const [name, attribute] of attributes()) {
    const at = name.indexOf(KEY)
    if (at < 0) continue
    const template = { before: name.slice(0, at), after: name.slice(at + KEY.length), attribute }
    addToGroup(groups, firstWord(name), template)
  }
  return groups
}

function firstWord(name: string): string {
  const end = name.indexOf('.')
  return end < 0 ? name : name.slice(0, end)
}

/** @returns `null` for a name that neither Sentry nor OpenTelemetry registers */
export function registeredAttribute(name: string): RegisteredAttribute | null {
  const exact = attributes().get(name)
  if (exact !== undefined) return exact
  const template = templates()
    .get(firstWord(name))
    ?.find(
      ({ before, after }) =>
        name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after),
    )
  return template?.attribute ?? null
}

/** All names under which SDKs send this attribute, the current one first: `http.request.method`, `http.method`, … */
export const namesOf = (name: string): readonly string[] => FAMILIES.get(name) ?? [name]

/** Shorter names have too many neighbours by chance. */
const SHORTEST_TYPED = 7

/**
 * The registered name that differs from this one by one character, inserted, left out or replaced. A name without a dot is
 * a word of the application, so it has none.
 */
export function nearestName(name: string): string | null {
  if (name.length < SHORTEST_TYPED || !name.includes('.') || registeredAttribute(name) !== null) return null
  for (const [known, { isDeprecated }] of attributes())
    if (!isDeprecated && known.includes('.') && differsByOne(name, known)) return known
  return null
}

function differsByOne(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  if (one.length === other.length) return one.slice(at + 1) === other.slice(at + 1)
  return one.length < other.length ? one.slice(at) === other.slice(at + 1) : one.slice(at + 1) === other.slice(at)
}
