import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { ErrorGroupDetail } from '../../lib/wire/error-groups'
import type { EventDetail } from '../../lib/wire/event'
import type { MappedFrames } from '../../lib/wire/mapped-frames'
import { client, failureOf } from '../ui/client'
import { CopyButton } from '../ui/facts'
import { Glyph, type GlyphName } from '../ui/glyph'
import { allowText, assertionText, markdownText } from './copy-texts'
import styles from './error-actions.module.css'
import { shownStacks } from './stack-display'
import { failureText } from './use-mapped-frames'

interface CopiesProps {
  readonly event: EventDetail
  readonly group: ErrorGroupDetail | null
  readonly frames: MappedFrames | null
}

/** Copies of an error for an issue and for tests. */
export function Copies({ event, group, frames }: CopiesProps) {
  const pattern = group?.title ?? event.title
  const url = `${window.location.origin}/events/${event.eventId}`
  const forTests = [
    ['telemetry.allow(…)', allowText(pattern)],
    ['Playwright assertion', assertionText(event, pattern, 'telemetry')],
    ['Vitest assertion', assertionText(event, pattern, 'recording')],
  ] as const
  return (
    <>
      <CopyButton
        text={markdownText(event, group, shownStacks(event, frames), url)}
        label="as Markdown"
        word="Copy as Markdown"
      />
      <Popup glyph="assertion" word="Copy for a test">
        <div className={styles.items}>
          {forTests.map(([word, text]) => (
            <CopyButton key={word} text={text} label={word} word={word} />
          ))}
        </div>
      </Popup>
    </>
  )
}

interface PopupProps {
  readonly glyph: GlyphName
  readonly word: string
  readonly children: ReactNode
}

/** A button with a panel below it. One is open at a time; a press elsewhere closes it. */
function Popup({ glyph, word, children }: PopupProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = ({ target }: PointerEvent): void => {
      if (target instanceof Node && !menu.current?.contains(target)) menu.current?.removeAttribute('open')
    }
    document.addEventListener('pointerdown', close)
    return () => document.removeEventListener('pointerdown', close)
  }, [])
  return (
    <details ref={menu} className={styles.menu} name="error-actions">
      <summary className="button">
        <Glyph name={glyph} /> {word}
      </summary>
      {children}
    </details>
  )
}

interface MarkingProps {
  readonly group: ErrorGroupDetail
  readonly onMarked: () => void
}

/** Mutes a group, and keeps a note about it. A collector that shows a saved run refuses both, with its sentence. */
export function Marking({ group, onMarked }: MarkingProps) {
  const [refusal, setRefusal] = useState<string | null>(null)
  const [note, setNote] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const mark = async (change: { readonly muted?: boolean; readonly note?: string }): Promise<void> => {
    setBusy(true)
    try {
      await client.markErrorGroup({ hash: group.hash, ...change })
      setRefusal(null)
      setNote(null)
      onMarked()
    } catch (error) {
      setRefusal(failureText(failureOf(error) ?? { kind: 'unreachable' }))
    }
    setBusy(false)
  }
  return (
    <>
      <button type="button" className="button" disabled={busy} onClick={() => mark({ muted: !group.muted })}>
        <Glyph name="mute" /> {group.muted ? 'Unmute' : 'Mute'}
      </button>
      <Popup glyph="note" word={group.note === null ? 'Add a note' : 'Edit the note'}>
        <form
          className={styles.items}
          onSubmit={(submitted) => {
            submitted.preventDefault()
            submitted.currentTarget.closest('details')?.removeAttribute('open')
            void mark({ note: note ?? group.note ?? '' })
          }}
        >
          <textarea
            className="field"
            aria-label="Note about this group"
            rows={4}
            value={note ?? group.note ?? ''}
            onChange={(changed) => setNote(changed.target.value)}
          />
          <button type="submit" className="button primary" disabled={busy}>
            Save the note
          </button>
        </form>
      </Popup>
      {refusal !== null && (
        <p className={`toned small ${styles.refusal}`} data-tone="bad" role="alert">
          {refusal}
        </p>
      )}
    </>
  )
}
