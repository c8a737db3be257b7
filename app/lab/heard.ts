/** What the neighbour says about the trace headers that reached it. */
export interface Heard {
  readonly sentryTrace: string | null
  readonly baggage: string | null
}

/** Reads the neighbour's answer; `null` when it is something else. */
export function parseHeard(value: unknown): Heard | null {
  if (typeof value !== 'object' || value === null || !('sentryTrace' in value) || !('baggage' in value)) return null
  const { sentryTrace, baggage } = value
  return {
    sentryTrace: typeof sentryTrace === 'string' ? sentryTrace : null,
    baggage: typeof baggage === 'string' ? baggage : null,
  }
}
