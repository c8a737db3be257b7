'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'

interface Props {
  readonly title: string
  readonly route: string
}

/**
 * An intercepted place, over the page that was left. However it is closed, the reader is back where they were; a step back
 * takes it off the page, which is no `close`, so nothing goes back twice.
 */
export function LabDialog({ title, route }: Props) {
  const router = useRouter()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal()
  }, [])
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="lab-dialog-title"
      data-testid="lab-place"
      onClose={() => router.back()}
    >
      <form method="dialog" className="stack">
        <h2 id="lab-dialog-title">{title}</h2>
        <p className="soft">
          Answered by <code>{route}</code>, over the page that was left.
        </p>
        <p>
          <button type="submit" className="button">
            Close
          </button>
        </p>
      </form>
    </dialog>
  )
}
