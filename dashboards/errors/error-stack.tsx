import { Fragment, lazy, type ReactNode, Suspense, useState } from 'react'
import { plural } from '../../lib/format'
import type { EventDetail } from '../../lib/wire/event'
import { Glyph } from '../ui/glyph'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import { Segments } from '../ui/segments'
import { EditorLink, EditorSettings } from './editor'
import styles from './error-stack.module.css'
import bar from './section-bar.module.css'
import {
  clampMessage,
  firstToOpen,
  frameGroups,
  functionName,
  hasCode,
  nearestFrames,
  packagesOf,
  type ShownFrame,
  type StackView,
  shownStacks,
} from './stack-display'
import { type MappingRead, mappingText } from './use-mapped-frames'

// Few frames have variables.
const AttributeTable = lazy(() =>
  import('../ui/attribute-table').then((module) => ({ default: module.AttributeTable })),
)

interface ErrorStackProps {
  /** In the line of the controls. */
  readonly heading?: ReactNode
  readonly event: EventDetail
  readonly mapping: MappingRead
}

/** The exceptions of an event, each with its cause below it. Frames show as sent at once, and mapped when that is known. */
export function ErrorStack({ heading, event, mapping }: ErrorStackProps) {
  const [view, setView] = useState<StackView>('app')
  const mapped = view === 'raw' ? null : mapping.frames
  const stacks = shownStacks(event, mapped)
  const open = firstToOpen(stacks)
  const all = stacks.flat()
  const views = [
    { id: 'app', label: 'In app', count: all.filter(({ inApp }) => inApp).length },
    { id: 'all', label: 'All', count: all.length },
    { id: 'raw', label: 'Raw' },
  ] as const
  if (event.exceptions.length === 0) {
    return (
      <>
        {heading}
        <p className="small soft">No exception, only a message.</p>
      </>
    )
  }
  return (
    <div className={styles.stack}>
      <div className={bar.bar}>
        {heading}
        <Segments label="Frames" current={view} onChange={setView} segments={views} />
        <span className={bar.note} role="status">
          {mappingText(mapping)}
        </span>
      </div>
      {event.exceptions.map((exception, at) => (
        // The list never changes: an event is read once.
        <div key={`${at} ${exception.type}`} className={styles.exception}>
          <p className={styles.title}>
            {at > 0 && (
              <span className="faint">
                <Glyph name="cause" /> caused by{' '}
              </span>
            )}
            <strong>
              <Received text={exception.type ?? 'Error'} />
            </strong>{' '}
            {exception.value !== null && <LongMessage text={exception.value} />}
          </p>
          {mapped?.exceptions[at]?.decodedMessage != null && (
            <p className={`small ${styles.title}`}>
              <span className="faint">React means </span>
              <LongMessage text={mapped.exceptions[at].decodedMessage} />
            </p>
          )}
          {exception.frames.length === 0 && <p className="small faint">No stack.</p>}
          {view === 'app' ? (
            <GroupedFrames frames={stacks[at] ?? []} open={open} />
          ) : (
            <Frames frames={stacks[at] ?? []} open={open} />
          )}
        </div>
      ))}
      {all.some(({ path }) => path !== null) && <EditorSettings />}
    </div>
  )
}

interface FramesProps {
  readonly frames: readonly ShownFrame[]
  readonly open?: ShownFrame | undefined
}

const GroupedFrames = ({ frames, open }: FramesProps) =>
  frameGroups(frames).map((group, index) => {
    const { near, more } = group.inApp ? nearestFrames(group.frames) : { near: [], more: group.frames }
    return (
      // The groups never change their order.
      <Fragment key={`${index} ${group.inApp}`}>
        {near.length > 0 && <Frames frames={near} open={open} />}
        {more.length > 0 && (
          <details className={styles.library}>
            <summary>
              {group.inApp ? `… ${plural(more.length, 'more frame')}` : plural(more.length, 'library frame')}{' '}
              {!group.inApp && <Received className="mono" text={packagesOf(more)} />}
            </summary>
            <Frames frames={more} open={open} />
          </details>
        )}
      </Fragment>
    )
  })

function Frames({ frames, open }: FramesProps) {
  return (
    <ol className={styles.frames}>
      {frames.map((frame, at) => (
        <li key={`${at} ${frame.filename}:${frame.line}`} data-own={frame.inApp} data-linked={frame.path !== null}>
          {hasCode(frame) || frame.note !== null ? (
            <details className={styles.frame} open={frame === open}>
              <summary>
                <Call frame={frame} />
              </summary>
              <FrameDetail frame={frame} />
            </details>
          ) : (
            <Call frame={frame} />
          )}
          {frame.path !== null && <EditorLink path={frame.path} line={frame.line} column={frame.column} />}
        </li>
      ))}
    </ol>
  )
}

function Call({ frame }: { readonly frame: ShownFrame }) {
  return (
    <span className={styles.call}>
      <Received className={`cut ${styles.function}`} text={functionName(frame.function)} />
      <span className={`cut ${styles.place}`}>
        <Received text={frame.filename ?? '(unknown)'} />
        {frame.line !== null && `:${frame.line}`}
        {frame.column !== null && `:${frame.column}`}
      </span>
      {frame.otherBuild !== null && (
        <span className="toned" data-tone="warn">
          may be another build
        </span>
      )}
      {frame.inApp && <span className={styles.inApp}>in app</span>}
    </span>
  )
}

/** Further variables are only in the payload. */
const MOST_VARS = 50

function FrameDetail({ frame }: { readonly frame: ShownFrame }) {
  const vars = Object.entries(frame.vars ?? {})
  return (
    <div className={styles.detail}>
      {frame.otherBuild !== null && (
        <p className="toned" data-tone="warn">
          {printable(frame.otherBuild)}
        </p>
      )}
      {frame.code.length > 0 && (
        <ol className={styles.source} aria-label="Source">
          {frame.code.map(({ line, text, ran }, at) => (
            <li key={`${at} ${line}`} data-ran={ran}>
              <span className={styles.number}>
                {ran && <span className="visually-hidden">this line ran: </span>}
                {line}
              </span>
              <code>{printable(text, 'lines')}</code>
            </li>
          ))}
        </ol>
      )}
      {frame.note !== null && <p className={styles.note}>{printable(frame.note)}</p>}
      {frame.lookedFor.length > 0 && (
        <ul className={styles.note} aria-label="Files looked for">
          {frame.lookedFor.map((path) => (
            <li key={path}>
              <Received text={path} />
            </li>
          ))}
        </ul>
      )}
      {vars.length > 0 && (
        <Suspense fallback={null}>
          <AttributeTable name="Local variables" attributes={Object.fromEntries(vars.slice(0, MOST_VARS))} />
        </Suspense>
      )}
      {vars.length > MOST_VARS && <p className="faint">{vars.length - MOST_VARS} more are in the payload.</p>}
    </div>
  )
}

/** A received message on several lines. A long one is cut, with a button that shows all of it. */
export function LongMessage({ text }: { readonly text: string }) {
  const [all, setAll] = useState(false)
  const short = clampMessage(text)
  return (
    <>
      <bdi className={styles.value}>
        {printable(all || short === null ? text : short, 'lines')}
        {!all && short !== null && '…'}
      </bdi>
      {short !== null && ' '}
      {short !== null && (
        <button type="button" className={`link-button ${styles.more}`} aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'show less' : 'show all'}
        </button>
      )}
    </>
  )
}
