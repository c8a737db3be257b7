import type { Limit } from '../../lib/wire/limits'
import { Age } from '../ui/age'

/** The envelope whose answer told a limit, and when. */
export function ToldBy({ limit: { toldBy, toldAt } }: { readonly limit: Pick<Limit, 'toldBy' | 'toldAt'> }) {
  return (
    <span>
      {toldBy === null ? (
        <span className="faint">an envelope that is not kept</span>
      ) : (
        <a href={`/envelopes/${toldBy}`}>envelope {toldBy}</a>
      )}{' '}
      <span className="faint">
        <Age atMs={toldAt} ago />
      </span>
    </span>
  )
}
