'use client'

import styles from './filter-bar.module.css'
import type { Mistake } from './filter-parser'
import {
  type AddressChanges,
  type RefusedFilter,
  type UnknownParameter,
  unknownPageParameters,
} from './filter-problems'
import { changeSearch, useSearch } from './page-address'
import { printable } from './printable'
import { idTyped } from './typed-id'
import type { Filtering } from './use-filter'

interface FilterNotesProps {
  readonly id: string
  readonly filtering: Filtering
  readonly input: string
  readonly traceIds: readonly string[]
  readonly mistake: Mistake | null
  readonly refused: RefusedFilter | null
  readonly still: string | null
  readonly onSuggestion: (source: string, suggestion: string) => void
}

/** The lines below a filter bar: mistakes with their corrections, and links for a typed id. */
export function FilterNotes({ id, filtering, input, mistake, refused, still, ...props }: FilterNotesProps) {
  const typed = idTyped(filtering.list, input, props.traceIds)
  return (
    <div id={id} role="status" className={styles.notes}>
      {mistake !== null && (
        <p>
          {printable(mistake.message)}
          {mistake.suggestions.map((one) => (
            <SuggestionButton key={one} text={one} onClick={() => props.onSuggestion(mistake.source, one)} />
          ))}
        </p>
      )}
      {mistake === null && refused !== null && (
        <p>
          {printable(refused.message)}
          <FilterSuggestion refused={refused} filtering={filtering} />
        </p>
      )}
      {still !== null && <p>{still}</p>}
      <UnknownParameterNotes unknown={filtering.unknown} onChange={filtering.narrow} />
      {typed !== null && (
        <p>
          {typed.isWhole ? 'This is an id:' : 'This is the beginning of an id:'}{' '}
          {typed.links.map(({ href, text }) => (
            <a key={href} href={href}>
              open {text}
            </a>
          ))}
        </p>
      )}
    </div>
  )
}

export function FilterSuggestion({
  refused,
  filtering,
}: {
  readonly refused: RefusedFilter
  readonly filtering: Filtering
}) {
  const { suggestion, elsewhere } = refused
  if (elsewhere !== null) return <a href={elsewhere.href}>{elsewhere.text}</a>
  if (suggestion === null) return null
  return <SuggestionButton text={suggestion.typed} onClick={() => filtering.narrow(suggestion.changes)} />
}

interface UnknownParametersProps {
  readonly page: string
  /** The parameters of the page; the same array each time. */
  readonly known: readonly string[]
}

/** Parameters in the address that a page without a list does not support. */
export function UnknownParameters({ page, known }: UnknownParametersProps) {
  const search = useSearch()
  const unknown = search === null ? [] : unknownPageParameters(page, known, search)
  return (
    <div role="status" className={styles.notes}>
      <UnknownParameterNotes unknown={unknown} onChange={(changes) => changeSearch(changes, 'step')} />
    </div>
  )
}

interface UnknownParameterNotesProps {
  readonly unknown: readonly UnknownParameter[]
  readonly onChange: (changes: AddressChanges) => void
}

function UnknownParameterNotes({ unknown, onChange }: UnknownParameterNotesProps) {
  return unknown.map(({ name, message, suggestion, removal }) => (
    <p key={name} data-unknown-parameter={name}>
      {printable(message)}
      {suggestion !== null && <SuggestionButton text={suggestion.typed} onClick={() => onChange(suggestion.changes)} />}
      <SuggestionButton text="Remove it" onClick={() => onChange(removal)} />
    </p>
  ))
}

function SuggestionButton({ text, onClick }: { readonly text: string; readonly onClick: () => void }) {
  return (
    <button type="button" className="button" onClick={onClick}>
      {printable(text)}
    </button>
  )
}
