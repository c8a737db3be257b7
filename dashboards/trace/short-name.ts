interface NamedSpan {
  readonly segmentId: string | null
  readonly op: string | null
  readonly name: string
}

/**
 * The origin of the page that each segment was in. The browser SDK names the phases of a page load (`browser.dns`,
 * `browser.request` …) by the page's whole address; a segment without them has no page that is known.
 */
export function pageOrigins(spans: readonly NamedSpan[]): ReadonlyMap<string, string> {
  const origins = new Map<string, string>()
  for (const { segmentId, op, name } of spans) {
    if (segmentId === null || origins.has(segmentId) || op?.startsWith('browser.') !== true) continue
    const origin = /^https?:\/\/[^/\s?#]+/.exec(name)?.[0]
    if (origin !== undefined) origins.set(segmentId, origin)
  }
  return origins
}

/** A span's name without the origin of its own page, which every row would repeat: `GET http://a/b` → `GET /b`. */
export function shortName(name: string, origin: string | undefined): string {
  if (origin === undefined) return name
  return name
    .split(' ')
    .map((word) => (word === origin ? '/' : word.startsWith(`${origin}/`) ? word.slice(origin.length) : word))
    .join(' ')
}
