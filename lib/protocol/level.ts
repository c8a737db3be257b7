/** A level as it is compared: SDKs write `WARN`, `warn` and `warning` of the same thing. */
export function levelOf(level: string): string {
  const small = level.toLowerCase()
  return small === 'warn' ? 'warning' : small
}

/** Is this the level that is wanted? What has none is of no level. */
export const isOfLevel = (level: string | null, wanted: string | undefined): boolean =>
  wanted === undefined || (level !== null && levelOf(level) === levelOf(wanted))
