import type { Limit } from '../../lib/wire/limits'
import { Age } from '../ui/clock'

/** The envelope whose answer told a limit, and when. */
export function ToldBy({
  limit: { sourceSeq, receivedAt },
}: {
  readonly limit: Pick<Limit, 'sourceSeq' | 'receivedAt'>
}) {
  return (
    <span>
      {sourceSeq === null ? (
        <span className="faint">an envelope that is not kept</span>
      ) : (
        <a href={`/envelopes/${sourceSeq}`}>envelope {sourceSeq}</a>
      )}{' '}
      <span className="faint">
        <Age atMs={receivedAt} ago />
      </span>
    </span>
  )
}
