import { formatCount } from '../ui/quantities'
import { namesTraces, traceIdsIn } from './trace-ids'

/** A page full of logs may name hundreds. */
const MOST_LINKS = 5

/** The way from a log or a metric to the trace it was made in. */
export function TraceLinks({ type, text }: { readonly type: string; readonly text: string | null }) {
  if (text === null || !namesTraces(type)) return null
  const ids = traceIdsIn(text)
  const more = ids.length - MOST_LINKS
  return (
    <>
      {ids.slice(0, MOST_LINKS).map((id) => (
        <a key={id} href={`/traces/${id}`} title={id}>
          {ids.length === 1 ? 'its trace' : `trace ${id.slice(0, 8)}`}
        </a>
      ))}
      {more > 0 && <span className="faint">+{formatCount(more)}</span>}
    </>
  )
}
