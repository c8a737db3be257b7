'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'

/** An intercepted page as a dialog. Back removes it without a `close` event, so it never navigates back twice. */
export function LabDialog({ title, route }: { readonly title: string; readonly route: string }) {
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
