import { categoriesOfType, KNOWN_TYPES } from '../../lib/protocol/data-category'
import { ALL, limitAppliesTo } from '../../lib/protocol/rate-limits'
import { ENDPOINTS } from '../../lib/protocol/request'
import type { Endpoint, EnvelopeItem } from '../../lib/wire/envelope'

export function endpointText(endpoint: Endpoint): { readonly word: string; readonly meaning: string } {
  if (endpoint === 'tunnel') return { word: 'tunnel', meaning: 'Through the same-origin tunnel of an app.' }
  if (endpoint === 'stream') return { word: 'copy', meaning: 'A Spotlight copy made by the SDK: shown, never relayed.' }
  if (endpoint === 'security')
    return { word: 'report', meaning: 'A policy report of a browser, directly to the collector.' }
  if (endpoint === 'minidump') return { word: 'minidump', meaning: 'A crash report of a native program.' }
  if (endpoint === 'unreal') return { word: 'Unreal', meaning: 'A crash report of the Unreal Engine.' }
  if (endpoint === 'nel') return { word: 'NEL', meaning: 'Network errors that a browser reports on its own.' }
  if (endpoint === 'cron') return { word: 'cron', meaning: 'A check-in of a job, by a request without an SDK.' }
  if (endpoint === 'attachments') return { word: 'files', meaning: 'Files of an event, sent after it.' }
  if (endpoint === 'otlp_traces') return { word: 'OTLP traces', meaning: 'Spans of OpenTelemetry, over OTLP/HTTP.' }
  if (endpoint === 'otlp_logs') return { word: 'OTLP logs', meaning: 'Log records of OpenTelemetry, over OTLP/HTTP.' }
  if (endpoint === 'otlp_metrics') return { word: 'OTLP metrics', meaning: 'Metrics of OpenTelemetry, over OTLP/HTTP.' }
  return { word: 'direct', meaning: 'Directly to the collector, with the local DSN.' }
}

/** The word, followed by the endpoint’s name when several endpoints share the word. */
export function endpointName(endpoint: Endpoint): string {
  const { word } = endpointText(endpoint)
  return ENDPOINTS.some((other) => other !== endpoint && endpointText(other).word === word)
    ? `${word} (${endpoint})`
    : word
}

interface ItemCount {
  readonly type: string
  readonly quantity: number
}

/** The item types of an envelope with their quantities, in order of first occurrence. */
export function itemCounts(items: readonly Pick<EnvelopeItem, 'type' | 'quantity'>[]): readonly ItemCount[] {
  const counts = new Map<string, number>()
  for (const { type, quantity } of items) counts.set(type, (counts.get(type) ?? 0) + quantity)
  return [...counts].map(([type, quantity]) => ({ type, quantity }))
}

/** The name of an item type on pages: an event is an error, as in data categories and rate limits. */
export const itemName = (type: string): string => (type === 'event' ? 'error' : type)

/** The only item type of a data category, if there is one. An unknown type is its own category. */
export const typeOfCategory = (category: string): string | undefined =>
  onlyOne(
    KNOWN_TYPES.filter((type) => categoriesOfType(type).includes(category)),
    category,
  )

/** The only item type that a rate limit applies to, if there is one. */
export const typeLimitedBy = (limit: string): string | undefined =>
  limit === ALL
    ? undefined
    : onlyOne(
        KNOWN_TYPES.filter((type) => categoriesOfType(type).some((category) => limitAppliesTo(limit, category))),
        limit,
      )

const onlyOne = (types: readonly string[], unknown: string): string | undefined =>
  types.length === 0 ? unknown : types.length === 1 ? types[0] : undefined

/** The bar colour of a service, the same on every page. Browser and server have fixed colours. */
export function seriesOf(service: string): 1 | 2 | 3 | 4 | 5 | 6 {
  if (service === 'browser') return 1
  if (service === 'server') return 2
  const others = [3, 4, 5, 6] as const
  let sum = 0
  for (const character of service) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return others[sum % others.length] ?? 3
}

/** The bar colour of a span: databases, caches and calls of other programs differ from the service that made them. */
export function seriesOfSpan({
  service,
  op,
}: {
  readonly service: string
  readonly op: string | null
}): 1 | 2 | 3 | 4 | 5 | 6 {
  if (/^db\b/.test(op ?? '')) return 3
  if (/^cache\b/.test(op ?? '')) return 5
  return service !== 'browser' && op === 'http.client' ? 4 : seriesOf(service)
}
