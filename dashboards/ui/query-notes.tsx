'use client'

import { hasText, type QueryList } from '../../lib/filter/keys'
import type { QueryProblem } from '../../lib/filter/query'
import { splitQuery } from '../../lib/filter/tokens'
import { hex32 } from '../../lib/protocol/ids'
import { ledgerHref } from './links'
import { printable } from './printable'
import styles from './query-field.module.css'

interface QueryNotesProps {
  readonly id: string
  readonly list: QueryList
  readonly query: string
  readonly problems: readonly QueryProblem[]
  readonly links: readonly IdLink[]
  readonly onCorrect: (problem: QueryProblem) => void
}

/** The lines below the field: wrong terms with their corrections, and links for an id that was typed alone. */
export function QueryNotes({ id, list, query, problems, links, onCorrect }: QueryNotesProps) {
  return (
    <div id={id} role="status" className={styles.notes}>
      {problems.map((problem) => (
        <p key={problem.at} className="row">
          {printable(problem.message)}
          {isText(list, query, problem) && (
            <a href={`/errors?${new URLSearchParams({ q: query.slice(problem.at, problem.at + problem.length) })}`}>
              Search the errors for it
            </a>
          )}
          {problem.suggestion !== null && (
            <button type="button" className="button" onClick={() => onCorrect(problem)}>
              {printable(problem.suggestion)}
            </button>
          )}
        </p>
      ))}
      {/(?:^|\s)-?delivery:"?dead[ _-]?letter/.test(query) && (
        <p>
          Dead letters have a list of their own; their delivery status is pending.{' '}
          <a href={ledgerHref('dead-letters')}>Open the dead letters</a>
        </p>
      )}
      {links.length > 0 && (
        <p className="row">
          This is an id:
          {links.map(({ href, text }) => (
            <a key={href} href={href}>
              open {text}
            </a>
          ))}
          {links.length === 1 && '(Enter).'}
          {!hasText(list) && <span>The list is not filtered by it.</span>}
        </p>
      )}
    </div>
  )
}

/** Whether it is about words, in a list without texts. */
const isText = (list: QueryList, query: string, { at }: QueryProblem): boolean =>
  !hasText(list) && splitQuery(query).some((token) => token.at === at && token.key === null)

interface IdLink {
  readonly href: string
  readonly text: string
}

/** Pages that a whole id typed alone may lead to, the likeliest first: an id does not say what it identifies. */
export function idLinks(list: QueryList, query: string): readonly IdLink[] {
  const text = query.trim().toLowerCase()
  const id = hex32(text)
  if (id !== null) {
    const trace = { href: `/traces/${id}`, text: `trace ${id.slice(0, 8)}` }
    const error = { href: `/events/${id}`, text: `error ${id.slice(0, 8)}` }
    return list === 'traces' || list === 'signals' ? [trace, error] : [error, trace]
  }
  const isNumber = (list === 'envelopes' || list === 'deliveries') && /^[1-9]\d{0,14}$/.test(text)
  return isNumber ? [{ href: `/envelopes/${text}`, text: `envelope ${text}` }] : []
}
