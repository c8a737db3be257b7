/** @throws TypeError where it is neither an id nor of a trace */
export function traceIdOf(of: unknown): string {
  const meant = "the id of a trace, or an item of one: await telemetry.waitFor.transaction({ name: '/cart' })"
  if (typeof of === 'string') return of
  if (typeof of !== 'object' || of === null || !('traceId' in of))
    throw new TypeError(
      `trace: ${of instanceof Object ? 'an object without traceId' : of} was given, and is meant as ${meant}`,
    )
  if (typeof of.traceId === 'string') return of.traceId
  throw new TypeError(`trace: what was given is of no trace, its traceId is ${of.traceId}; it is meant as ${meant}`)
}
