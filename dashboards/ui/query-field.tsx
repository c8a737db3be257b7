'use client'

import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { MAX_QUERY_LENGTH, readQuery } from '../../lib/filter/query'
import { splitQuery } from '../../lib/filter/tokens'
import { formatCount } from '../../lib/format'
import type { SignalKind } from '../../lib/protocol/items/signal'
import { useNow } from './clock'
import { type CompletionOption, completionAt, completionOptions } from './completion'
import { Glyph } from './glyph'
import { navigate } from './navigation'
import { printable } from './printable'
import styles from './query-field.module.css'
import { idLinks, QueryNotes } from './query-notes'
import { settledPart } from './query-terms'
import type { Querying } from './use-query'
import { useValueCounts } from './value-counts'

/** Typed text applies after this pause. */
const PAUSE_MS = 250

interface QueryFieldProps {
  readonly noun: string
  /** Examples of what can be typed: `text, op:pageload …` */
  readonly hint: string
  readonly querying: Querying
  readonly kind: SignalKind | undefined
  readonly field: RefObject<HTMLInputElement | null>
}

/** A field for the query of a list: keys are coloured, wrong terms underlined and explained, keys and values completed. */
export function QueryField({ noun, hint, querying, kind, field }: QueryFieldProps) {
  const { list } = querying
  const id = useId()
  const nowMs = useNow()
  const typing = useTyping(querying)
  const { text } = typing
  const [caret, setCaret] = useState<number | null>(null)
  const [chosen, setChosen] = useState(-1)
  const copy = useRef<HTMLDivElement>(null)
  // A slash right after Escape is the shortcut to this field, not text.
  const hasEscaped = useRef(false)
  const completion = caret === null ? null : completionAt(list, text, caret)
  const counts = useValueCounts({ list, kind, query: text }, completion?.key ?? null)
  const options = completion === null ? [] : completionOptions(list, completion, counts)
  const links = idLinks(list, text)
  // An id alone is no mistake, and the notes say what it is.
  const problems = links.length > 0 ? [] : readQuery(list, typing.isOpen ? settledPart(text) : text, nowMs).problems
  const close = (): void => {
    setCaret(null)
    setChosen(-1)
  }
  const take = ({ text: taken }: CompletionOption): void => {
    if (completion === null) return
    const end = completion.at + taken.length
    const next = `${text.slice(0, completion.at)}${taken}${text.slice(completion.end).trimStart()}`
    typing.type(next)
    setChosen(-1)
    setCaret(taken.endsWith(' ') ? null : end)
    // After React has written the text.
    requestAnimationFrame(() => field.current?.setSelectionRange(end, end))
  }
  const onKey = (event: KeyboardEvent<HTMLInputElement>): void => {
    const { key, currentTarget } = event
    const isSlash = key === '/' && hasEscaped.current && text === ''
    hasEscaped.current = key === 'Escape' && text !== ''
    const option = options[chosen]
    if (isSlash) event.preventDefault()
    else if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      if (caret === null) setCaret(currentTarget.selectionStart)
      else setChosen((chosen + (key === 'ArrowDown' ? 1 : options.length)) % Math.max(1, options.length))
    } else if ((key === 'Enter' || key === 'Tab') && option !== undefined) {
      event.preventDefault()
      take(option)
    } else if (key === 'Enter') {
      const [page, ...others] = links
      const isOnly = page !== undefined && others.length === 0
      typing.finish(isOnly ? '' : text)
      close()
      if (isOnly) navigate(page.href)
    } else if (key === 'Escape') {
      event.preventDefault()
      close()
      if (text === '') currentTarget.blur()
      else typing.finish('')
    }
  }
  return (
    <>
      <div className={styles.place}>
        <span className={styles.find}>
          <Glyph name="find" />
        </span>
        <div ref={copy} className={styles.copy} aria-hidden="true">
          <Coloured query={text} problems={problems} />
        </div>
        <input
          ref={field}
          className={`field ${styles.field}`}
          type="text"
          role="combobox"
          aria-label={`Filter ${noun}`}
          aria-describedby={`${id}-notes`}
          aria-invalid={problems.length > 0 || undefined}
          aria-autocomplete="list"
          aria-expanded={options.length > 0}
          aria-controls={`${id}-options`}
          aria-activedescendant={chosen === -1 ? undefined : `${id}-${chosen}`}
          placeholder={hint}
          maxLength={MAX_QUERY_LENGTH}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          value={text}
          onChange={({ target }) => {
            typing.type(target.value)
            setChosen(-1)
            setCaret(target.selectionStart)
          }}
          onScroll={({ currentTarget }) => {
            if (copy.current !== null) copy.current.scrollLeft = currentTarget.scrollLeft
          }}
          onBlur={() => {
            close()
            typing.finish()
          }}
          onKeyDown={onKey}
        />
        <span className={styles.key} aria-hidden="true">
          /
        </span>
        <div className={styles.options} hidden={options.length === 0}>
          <div id={`${id}-options`} role="listbox" aria-label="Completion">
            {options.map((option, at) => (
              <button
                key={option.text}
                type="button"
                tabIndex={-1}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === chosen}
                className={styles.option}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => take(option)}
              >
                <bdi>{printable(option.label)}</bdi>
                {option.count !== null && <span className="num faint">{formatCount(option.count)}</span>}
              </button>
            ))}
          </div>
          {counts !== null && <p className={styles.of}>of the newest {formatCount(counts.rows)}</p>}
        </div>
      </div>
      <QueryNotes
        id={`${id}-notes`}
        list={list}
        query={text}
        problems={problems}
        links={links}
        onCorrect={({ at, length, suggestion }) =>
          typing.finish(`${text.slice(0, at)}${suggestion ?? ''}${text.slice(at + length)}`)
        }
      />
    </>
  )
}

interface ColouredProps {
  readonly query: string
  readonly problems: readonly { readonly at: number }[]
}

/** The same text as in the field, which lies over it and is transparent. */
function Coloured({ query, problems }: ColouredProps) {
  return splitQuery(query).map(({ at, source, key, isNegated }, index, all) => {
    const before = all[index - 1]
    const space = query.slice(before === undefined ? 0 : before.at + before.source.length, at)
    const head = key === null ? 0 : key.length + 1 + (isNegated ? 1 : 0)
    return (
      <span key={at}>
        {space}
        <span data-wrong={problems.some((problem) => problem.at === at)}>
          {head > 0 && <b>{source.slice(0, head)}</b>}
          {source.slice(head)}
        </span>
      </span>
    )
  })
}

interface Draft {
  readonly text: string
  /** The query in the address when this was typed. If it changes elsewhere, the draft is discarded. */
  readonly query: string
}

interface Typing {
  readonly text: string
  /** Typing goes on: a term at the end may be incomplete. */
  readonly isOpen: boolean
  readonly type: (text: string) => void
  /** Applies what was typed, or the given text instead of it. */
  readonly finish: (text?: string) => void
}

/** Typed text applies after a pause, as one step of the history until it is finished. */
function useTyping({ query, change }: Querying): Typing {
  const [draft, setDraft] = useState<Draft | null>(null)
  const timer = useRef<number | undefined>(undefined)
  const hasStep = useRef(false)
  const current = draft !== null && draft.query === query ? draft : null
  const text = current?.text ?? query
  useEffect(() => () => window.clearTimeout(timer.current), [])
  const apply = (part: string): void => {
    if (change(part, hasStep.current ? 'soon' : 'step')) hasStep.current = true
  }
  return {
    text,
    isOpen: current !== null,
    type: (typed) => {
      window.clearTimeout(timer.current)
      setDraft({ text: typed, query })
      timer.current = window.setTimeout(() => {
        const part = settledPart(typed).trim()
        setDraft({ text: typed, query: part })
        apply(part)
      }, PAUSE_MS)
    },
    finish: (typed = text) => {
      window.clearTimeout(timer.current)
      setDraft(null)
      if (current !== null || typed !== text) apply(typed)
      hasStep.current = false
    },
  }
}
