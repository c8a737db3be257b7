import type { TraceSummary } from '../../../lib/wire/trace'
import { fateWords } from '../../words/fates'

/** The traces in which every word of the filter occurs, and that have errors when only those are wanted. */
export function filterTraces(
  traces: readonly TraceSummary[],
  filter: string,
  onlyErrors: boolean,
): readonly TraceSummary[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0 && !onlyErrors) return traces
  return traces.filter((trace) => {
    if (onlyErrors && trace.errorCount === 0 && trace.status !== 'error') return false
    const text = textOf(trace)
    return words.every((word) => text.includes(word))
  })
}

function textOf(trace: TraceSummary): string {
  const { name, op, traceId, services, environment, release, fate } = trace
  return [name, op, traceId, ...services, environment, release, fateWords(fate.name).word]
    .filter((part) => part !== null)
    .join('\n')
    .toLowerCase()
}
