/** The way to a trace, by as much of its id as tells traces apart. */
export function TraceLink({ traceId }: { readonly traceId: string | null }) {
  if (traceId === null) return <span className="faint">no trace</span>
  return (
    <a className="mono" href={`/traces/${encodeURIComponent(traceId)}`} title={traceId}>
      {traceId.slice(0, 8)}
    </a>
  )
}
