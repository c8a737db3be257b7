import { ENDPOINTS } from '../../lib/protocol/endpoint'
import type { Endpoint } from '../../lib/wire/envelope'

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
