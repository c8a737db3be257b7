import type { TraceSummary } from '../../../lib/wire/trace'
import { fateWords } from '../../words/fates'
import { filterRows } from '../../words/filter-rows'

/** The traces in which every word of the filter occurs, and that have errors when only those are wanted. */
export function filterTraces(
  traces: readonly TraceSummary[],
  filter: string,
  onlyErrors: boolean,
): readonly TraceSummary[] {
  const wanted = onlyErrors ? traces.filter((trace) => trace.errorCount > 0 || trace.status === 'error') : traces
  return filterRows(wanted, filter, textsOf)
}

function textsOf(trace: TraceSummary): readonly (string | null)[] {
  const { name, op, traceId, services, environment, release, fate } = trace
  return [name, op, traceId, ...services, environment, release, fateWords(fate.name).word]
}
