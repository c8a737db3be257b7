import { categoryOf, KNOWN_TYPES } from '../../lib/protocol/data-category'
import { ENDPOINTS } from '../../lib/protocol/request'
import { ALL, takes } from '../../lib/protocol/upstream-answer'
import type { Endpoint, EnvelopeItem } from '../../lib/wire/envelope'

/** How a submission came in, in a word and a sentence. */
export function endpointWords(endpoint: Endpoint): { readonly word: string; readonly means: string } {
  if (endpoint === 'tunnel') return { word: 'tunnel', means: 'Through the same-origin tunnel of an app.' }
  if (endpoint === 'stream')
    return { word: 'copy', means: 'A second copy made by the SDK (Spotlight): shown, never relayed.' }
  if (endpoint === 'security')
    return { word: 'report', means: 'A browser’s report of a policy, straight to the collector.' }
  return { word: 'direct', means: 'Straight to the collector, by the local DSN.' }
}

/** The word, with the endpoint’s own name where it is another endpoint’s word too. */
export function endpointName(endpoint: Endpoint): string {
  const { word } = endpointWords(endpoint)
  return ENDPOINTS.some((other) => other !== endpoint && endpointWords(other).word === word)
    ? `${word} (${endpoint})`
    : word
}

export interface ItemCount {
  readonly type: string
  readonly quantity: number
}

/** The types in an envelope with their quantities, in the order they first occur. */
export function itemCounts(items: readonly Pick<EnvelopeItem, 'type' | 'quantity'>[]): readonly ItemCount[] {
  const counts = new Map<string, number>()
  for (const { type, quantity } of items) counts.set(type, (counts.get(type) ?? 0) + quantity)
  return [...counts].map(([type, quantity]) => ({ type, quantity }))
}

/** What a list calls an item: an event is an error, as its data category, its limits and its own list say. */
export const itemName = (type: string): string => (type === 'event' ? 'error' : type)

/** The type whose items a data category counts, where it is one: what nobody knows counts under its own name. */
export const typeOfCategory = (category: string): string | undefined =>
  theOne(
    KNOWN_TYPES.filter((type) => categoryOf(type) === category),
    category,
  )

/** The type whose items a limit of this name takes, where it is one. */
export const typeLimitedBy = (limit: string): string | undefined =>
  limit === ALL
    ? undefined
    : theOne(
        KNOWN_TYPES.filter((type) => takes(limit, categoryOf(type))),
        limit,
      )

const theOne = (types: readonly string[], unknown: string): string | undefined =>
  types.length === 0 ? unknown : types.length === 1 ? types[0] : undefined

/** Which of the six bar colours a service has: the same on every page. Browser and server are told apart at a glance. */
export function seriesOf(service: string): 1 | 2 | 3 | 4 | 5 | 6 {
  if (service === 'browser') return 1
  if (service === 'server') return 2
  const others = [3, 4, 5, 6] as const
  let sum = 0
  for (const character of service) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return others[sum % others.length] ?? 3
}
