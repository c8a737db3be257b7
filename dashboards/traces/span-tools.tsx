'use client'

import { EditorLink } from '../errors/editor'
import { Fact, IconButton } from '../ui/facts'
import { narrowQuery } from '../ui/query-terms'
import { Received } from '../ui/received'
import { sourceOf } from './detail-facts'
import styles from './span-detail.module.css'
import { useTraceChoices } from './use-trace-state'

/** Attributes whose values the search in a trace knows, with its keys. */
const SEARCHED: Readonly<Record<string, string>> = {
  'http.response.status_code': 'http',
  'http.status_code': 'http',
  'sentry.op': 'op',
  'service.name': 'service',
}

interface FindValueProps {
  /** A key of the search in a trace. */
  readonly name: string
  readonly value: string
}

/** Shows only the spans of the trace with this value, or those without it. */
export function FindValue({ name, value }: FindValueProps) {
  const { choices, change } = useTraceChoices()
  const find = (isExcluded: boolean): void =>
    change({
      find: narrowQuery(choices.find, name, value, isExcluded),
      on: new Set([...choices.on, 'only']),
      view: 'waterfall',
    })
  return (
    <>
      <IconButton glyph="only" label={`Only this ${name}`} onPress={() => find(false)} />
      <IconButton glyph="without" label={`Without this ${name}`} onPress={() => find(true)} />
    </>
  )
}

interface AttributeToolsProps {
  readonly name: string
  readonly value: unknown
  readonly isRequired: boolean
  readonly onRequire: () => void
}

/** The buttons of an attribute: filter by its value, or require it in the assertion. */
export function AttributeTools({ name, value, isRequired, onRequire }: AttributeToolsProps) {
  const key = Object.hasOwn(SEARCHED, name) ? SEARCHED[name] : undefined
  return (
    <>
      {key !== undefined && <FindValue name={key} value={String(value)} />}
      <IconButton
        glyph="assertion"
        label={`${isRequired ? 'Remove from' : 'Add to'} the assertion`}
        isPressed={isRequired}
        onPress={onRequire}
      />
    </>
  )
}

/** The line of code that made a span, when its SDK recorded it. */
export function SourceFact({ attributes }: { readonly attributes: Readonly<Record<string, unknown>> }) {
  const source = sourceOf(attributes)
  if (source === null) return null
  const { path, line, column, isOnDisk } = source
  return (
    <Fact name="Source">
      <span className={styles.source}>
        <Received className="mono" text={[path, line, column].filter((part) => part !== null).join(':')} />{' '}
        {isOnDisk && <EditorLink path={path} line={line} column={column} />}
      </span>
    </Fact>
  )
}
