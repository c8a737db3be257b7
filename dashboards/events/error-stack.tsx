import { useState } from 'react'
import { plural } from '../../lib/format'
import type { EventDetail, StackFrame } from '../../lib/wire/event'
import { printable } from '../ui/printable'
import { Breakable, Received } from '../ui/received'
import styles from './error-stack.module.css'
import { clampMessage, firstToOpen, frameGroups, hasDetail, nearestFrames } from './stack-display'

/** The exceptions of an event. Frames of the app are visible; library frames are folded between them. */
export function ErrorStack({ exceptions }: { readonly exceptions: EventDetail['exceptions'] }) {
  const open = firstToOpen(exceptions)
  return (
    <div className={styles.exceptions}>
      {exceptions.map((exception, at) => (
        // The list never changes: an event is read once.
        <div key={`${at} ${exception.type}`} className={styles.exception}>
          <p className={styles.title}>
            {at > 0 && <span className="faint">caused by </span>}
            <strong>
              <Received text={exception.type ?? 'Error'} />
            </strong>
            {exception.value !== null && (
              <>
                {': '}
                <LongMessage text={exception.value} />
              </>
            )}
          </p>
          {exception.frames.length === 0 && <p className="small faint">No stack.</p>}
          {frameGroups(exception.frames).map((group, index) =>
            group.inApp ? (
              <FoldedFrames key={`${index} own`} frames={group.frames} open={open} />
            ) : (
              <details key={`${index} library`} className={styles.library}>
                <summary>{plural(group.frames.length, 'library frame')}</summary>
                <Frames frames={group.frames} />
              </details>
            ),
          )}
        </div>
      ))}
    </div>
  )
}

interface FramesProps {
  readonly frames: readonly StackFrame[]
  readonly open?: StackFrame | undefined
}

function FoldedFrames({ frames, open }: FramesProps) {
  const { near, more } = nearestFrames(frames)
  return (
    <>
      <Frames frames={near} open={open} />
      {more.length > 0 && (
        <details className={styles.library}>
          <summary>… {plural(more.length, 'more frame')}</summary>
          <Frames frames={more} open={open} />
        </details>
      )}
    </>
  )
}

function Frames({ frames, open }: FramesProps) {
  return (
    <ol className={styles.frames}>
      {frames.map((frame, at) => (
        <li key={`${at} ${frame.filename}:${frame.line}`} data-own={frame.inApp}>
          {hasDetail(frame) ? (
            <details open={frame === open}>
              <summary>
                <Call frame={frame} />
              </summary>
              <FrameDetail frame={frame} />
            </details>
          ) : (
            <Call frame={frame} />
          )}
        </li>
      ))}
    </ol>
  )
}

function Call({ frame }: { readonly frame: StackFrame }) {
  return (
    <>
      <Received className={styles.function} text={functionName(frame)} />
      <span className={styles.place}>
        <Received text={frame.filename ?? '(unknown)'} />
        <span className={styles.line}>
          {frame.line !== null && `:${frame.line}`}
          {frame.column !== null && `:${frame.column}`}
        </span>
      </span>
    </>
  )
}

/** SDKs send `?` when the engine does not name the function. */
const functionName = ({ function: name }: StackFrame): string => (name === null || name === '?' ? '(anonymous)' : name)

/** Further variables are only in the payload. */
const MOST_VARS = 50

function FrameDetail({ frame }: { readonly frame: StackFrame }) {
  const vars = Object.entries(frame.vars ?? {})
  return (
    <div className={styles.detail}>
      {frame.source.length > 0 && (
        <ol className={styles.source} aria-label="Source">
          {frame.source.map(({ line, text, ran }, at) => (
            <li key={`${at} ${line}`} data-ran={ran}>
              <span className={styles.number}>
                {ran && <span aria-hidden="true">▸ </span>}
                {ran && <span className="visually-hidden">this line ran: </span>}
                {line}
              </span>
              <code>{printable(text, 'lines')}</code>
            </li>
          ))}
        </ol>
      )}
      {vars.length > 0 && (
        <table className={styles.vars}>
          <caption>Local variables</caption>
          <tbody>
            {vars.slice(0, MOST_VARS).map(([name, value]) => (
              <tr key={name}>
                <th scope="row">
                  <Breakable name={name} />
                </th>
                <td>
                  <LongMessage text={typeof value === 'string' ? value : JSON.stringify(value)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {vars.length > MOST_VARS && <p className="faint">{vars.length - MOST_VARS} more are in the payload.</p>}
    </div>
  )
}

/** A received message on several lines. A long one is cut, with a button that shows all of it. */
function LongMessage({ text }: { readonly text: string }) {
  const [all, setAll] = useState(false)
  const short = clampMessage(text)
  return (
    <>
      <bdi className={styles.value}>
        {printable(all || short === null ? text : short, 'lines')}
        {!all && short !== null && '…'}
      </bdi>
      {short !== null && (
        <>
          {' '}
          <button type="button" className={styles.more} aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'show less' : 'show all'}
          </button>
        </>
      )}
    </>
  )
}
