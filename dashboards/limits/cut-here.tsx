import type { LimitLine } from './limit-lines'

/** What was cut while a limit ran, and the way to the envelopes it was cut from. */
export function CutHere({ line: { cut, cutHref } }: { readonly line: LimitLine }) {
  return cutHref === null ? <span>{cut}</span> : <a href={cutHref}>{cut}</a>
}
