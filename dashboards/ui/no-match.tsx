'use client'

import empty from './board.module.css'
import { useNow } from './clock'
import { type AnyFilter, type BoardList, filterNames } from './filter-address'
import { allFilterWords } from './filter-text'

interface NoMatchProps {
  readonly noun: string
  readonly list: BoardList
  readonly filter: AnyFilter
  readonly onClear: () => void
}

/** All that is kept was looked through, and none of it is what was asked for. */
export function NoMatch({ noun, list, filter, onClear }: NoMatchProps) {
  const parts = allFilterWords(filterNames(list), filter, useNow())
  return (
    <div className={empty.none} data-no-match>
      <h2>None of the {noun} kept here matches</h2>
      <p>Asked for were those of which {parts.length > 1 ? 'all of this is' : 'this is'} true:</p>
      <ul>
        {parts.map(({ name, words }) => (
          <li key={name}>
            <bdi>{name === 'text' ? `words beginning with ${words}` : words}</bdi>
          </li>
        ))}
      </ul>
      <p>
        <button type="button" className="button" onClick={onClear}>
          {parts.length > 1 ? 'Clear all filters' : 'Clear the filter'}
        </button>
      </p>
      <p className="faint">What comes and matches appears here by itself.</p>
    </div>
  )
}
