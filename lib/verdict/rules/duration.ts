/** µs for a person: `850 ms`, `4.1 s`. */
export function toldDuration(us: number): string {
  const ms = us / 1000
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`
  return `${Math.round(ms / 100) / 10} s`
}
