import { useState } from 'react'
import type { ErrorGroupDetail } from '../../lib/wire/error-groups'
import type { EventDetail } from '../../lib/wire/event'
import type { MappedFrames } from '../../lib/wire/mapped-frames'
import { client, failureOf } from '../ui/client'
import { CopyButton } from '../ui/facts'
import { Glyph } from '../ui/glyph'
import { printable } from '../ui/printable'
import { allowText, assertionText, markdownText } from './copy-texts'
import styles from './error-actions.module.css'
import { shownStacks } from './stack-display'

interface CopiesProps {
  readonly event: EventDetail
  readonly group: ErrorGroupDetail | null
  readonly frames: MappedFrames | null
}

/** Copies of an error for an issue and for tests. */
export function Copies({ event, group, frames }: CopiesProps) {
  const pattern = group?.title ?? event.title
  return (
    <>
      <CopyButton
        text={markdownText(
          event,
          group,
          shownStacks(event, frames),
          `${window.location.origin}/events/${event.eventId}`,
        )}
        label="as Markdown"
        word="Copy as Markdown"
      />
      <details className={styles.menu} name="error-actions">
        <summary className="button">
          <Glyph name="assertion" /> Copy for a test
        </summary>
        <div className={styles.items}>
          <CopyButton text={allowText(pattern)} label="telemetry.allow" word="telemetry.allow(…)" />
          <CopyButton
            text={assertionText(event, pattern, 'telemetry')}
            label="Playwright assertion"
            word="Playwright assertion"
          />
          <CopyButton
            text={assertionText(event, pattern, 'recording')}
            label="Vitest assertion"
            word="Vitest assertion"
          />
        </div>
      </details>
    </>
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
      const failure = failureOf(error)
      setRefusal(failure === null || failure.kind === 'unreachable' ? 'the collector is unreachable' : failure.detail)
    }
    setBusy(false)
  }
  return (
    <>
      <button type="button" className="button" disabled={busy} onClick={() => mark({ muted: !group.muted })}>
        <Glyph name="mute" /> {group.muted ? 'Unmute' : 'Mute'}
      </button>
      <details className={styles.menu} name="error-actions">
        <summary className="button">
          <Glyph name="note" /> {group.note === null ? 'Add a note' : 'Edit the note'}
        </summary>
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
      </details>
      {refusal !== null && (
        <p className={styles.refusal} role="alert">
          {printable(refusal)}
        </p>
      )}
    </>
  )
}
