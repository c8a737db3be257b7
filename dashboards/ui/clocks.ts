import { formatSeconds } from './quantities'

/** What is left until a moment, counting down and never below nothing: `12 s`; `null` once it has come. */
export function formatLeft(untilMs: number, nowMs: number): string | null {
  const left = Math.ceil((untilMs - nowMs) / 1000)
  return left <= 0 ? null : formatSeconds(left)
}

/** When something that was planned happens: `in 12 s`, `now`. */
export function formatWhen(atMs: number | null, nowMs: number): string {
  const left = atMs === null ? null : formatLeft(atMs, nowMs)
  return left === null ? 'now' : `in ${left}`
}
