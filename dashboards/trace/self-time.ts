interface Timed {
  readonly startUs: number
  readonly endUs: number
}

/** How long a span was busy with none of its direct children running: overlaps count once, what sticks out not at all. */
export function selfTimeUs(span: Timed, children: readonly Timed[]): number {
  const parts = children
    .map((child) => ({ from: Math.max(child.startUs, span.startUs), to: Math.min(child.endUs, span.endUs) }))
    .filter((part) => part.to > part.from)
    .sort((a, b) => a.from - b.from)
  let covered = 0
  let reached = span.startUs
  for (const part of parts) {
    covered += Math.max(0, part.to - Math.max(part.from, reached))
    reached = Math.max(reached, part.to)
  }
  return span.endUs - span.startUs - covered
}
