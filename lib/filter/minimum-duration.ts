import { splitQuery, type Token } from './tokens'

/** The least duration that a search asks for, as typed; `null` without one. */
export const minimumDuration = (query: string): string | null => splitQuery(query).find(isMinimum)?.value ?? null

/** The search with another least duration, or without one. @param value such as `10ms` or `5%`; `null` for none */
export function withMinimumDuration(query: string, value: string | null): string {
  const others = splitQuery(query).flatMap((token) => (isMinimum(token) ? [] : [token.source]))
  return [...others, ...(value === null ? [] : [`duration:>=${value}`])].join(' ')
}

const isMinimum = ({ key, comparison, isNegated }: Token): boolean =>
  key === 'duration' && !isNegated && (comparison === '>' || comparison === '>=')
