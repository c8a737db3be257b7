'use client'

import { changeSearch, useSearch } from './page-address'
import { printable } from './printable'
import { unknownParameters } from './unknown-parameters'

interface UnknownParametersProps {
  readonly page: string
  /** The parameters of the page; the same array each time. */
  readonly known: readonly string[]
}

/** Parameters in the address that the page does not support, each with its correction. */
export function UnknownParameters({ page, known }: UnknownParametersProps) {
  const search = useSearch()
  const unknown = search === null ? [] : unknownParameters(page, known, search)
  return (
    <div role="status" className="small">
      {unknown.map(({ name, message, suggestion, removal }) => (
        <p key={name} className="row" data-unknown-parameter={name}>
          {printable(message)}
          {suggestion !== null && (
            <button type="button" className="button" onClick={() => changeSearch(suggestion.changes, 'step')}>
              {printable(suggestion.text)}
            </button>
          )}
          <button type="button" className="button" onClick={() => changeSearch(removal, 'step')}>
            Remove it
          </button>
        </p>
      ))}
    </div>
  )
}
