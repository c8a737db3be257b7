import type { EventSummary } from '../../lib/wire/event'

/** The environment an SDK names when nobody told it one; beside every row it would be noise. */
const UNSAID_ENVIRONMENT = 'production'

/** Did somebody catch it? `null` where the SDK does not say, as for a message. */
export function handledWord(event: Pick<EventSummary, 'handled'>): 'handled' | 'unhandled' | null {
  if (event.handled === null) return null
  return event.handled ? 'handled' : 'unhandled'
}

/** The environment, when it is another than the usual one. */
export const unusualEnvironment = ({ environment }: Pick<EventSummary, 'environment'>): string | null =>
  environment === UNSAID_ENVIRONMENT ? null : environment
