/** Levels with another name today; Raven clients send the numbers of Python's logging. */
const LEVEL_NAMES: ReadonlyMap<string, string> = new Map([
  ['10', 'debug'],
  ['20', 'info'],
  ['30', 'warning'],
  ['40', 'error'],
  ['50', 'fatal'],
  ['warn', 'warning'],
  ['log', 'info'],
  ['critical', 'fatal'],
])

/** Normalises a level: SDKs write `WARN`, `warn`, `warning` and 30. An unknown level stays, in lower case. */
export function levelOf(level: string): string {
  const small = level.toLowerCase()
  return LEVEL_NAMES.get(small) ?? small
}

/** @param start the beginning of a level */
export const isOfLevel = (level: string | null, requested: string | undefined, start?: string): boolean =>
  (requested === undefined || (level !== null && levelOf(level) === levelOf(requested))) &&
  (start === undefined || (level !== null && levelOf(level).startsWith(start.toLowerCase())))
