'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'

interface Props {
  readonly title: string
  readonly route: string
}

/**
 * An intercepted page, shown as a dialog over the previous page. Every way to close it navigates back once: Back in the
 * browser removes the dialog without a `close` event, so it does not navigate back twice.
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
          Rendered by <code>{route}</code>, over the previous page.
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
