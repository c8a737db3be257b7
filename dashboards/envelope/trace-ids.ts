/** Items that name their trace inside the payload alone, entry by entry. */
const NAMES_TRACES: ReadonlySet<string> = new Set(['log', 'otel_log', 'trace_metric', 'metric'])

/** Does this type of item carry entries with a trace each? */
export const namesTraces = (type: string): boolean => NAMES_TRACES.has(type)

/**
 * The traces that an item's JSON text names, each once, in the order they come. Read from the text, for a long payload is cut
 * and then is no JSON any more; inside a JSON string every quote is escaped, so that a quoted `trace_id` is no match.
 */
export function traceIdsIn(text: string): readonly string[] {
  const found = text.matchAll(/"trace_id"\s*:\s*"([0-9a-f]{32})"/gi)
  return [...new Set([...found].flatMap(([, id]) => (id === undefined ? [] : [id.toLowerCase()])))]
}
