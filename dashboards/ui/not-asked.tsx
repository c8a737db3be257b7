import empty from './board.module.css'
import { Correction } from './filter-notes'
import type { WrongFilter } from './filter-problems'
import type { Filtering } from './use-filter'

interface NotAskedProps {
  readonly noun: string
  readonly filtering: Filtering
  readonly refused: WrongFilter
}

/** An address was opened whose filter means nothing: there is no list yet, and nothing is being read. */
export function NotAsked({ noun, filtering, refused }: NotAskedProps) {
  return (
    <div className={empty.none} data-not-asked>
      <h2>Not asked for {noun} yet</h2>
      <p>
        A part of the filter in this address was refused, as the line above says. Nothing is read until it is another.
      </p>
      <p>
        <Correction refused={refused} filtering={filtering} />{' '}
        <button type="button" className="button" onClick={filtering.clear}>
          Clear the filter
        </button>
      </p>
    </div>
  )
}
