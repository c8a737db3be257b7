'use client'

import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useState } from 'react'
import { changeSearch } from '../ui/page-address'

const FileTrace = lazy(() => import('./file-trace').then((module) => ({ default: module.FileTrace })))

interface DroppedFileProps {
  /** @param pick lets a person choose a file */
  readonly children: (pick: () => void) => ReactNode
}

/** A board on which a trace file can be dropped. The file is then shown in place of the board, until it is closed. */
export function DroppedFile({ children }: DroppedFileProps) {
  const [file, setFile] = useState<File | null>(null)
  const show = (next: File | null): void => {
    // A span, zoom or view of one trace means nothing in another.
    changeSearch(NO_CHOICES, 'soon')
    setFile(next)
  }
  const onDrop = useEffectEvent(show)
  useEffect(() => {
    const allow = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
    }
    const drop = (event: DragEvent): void => {
      const dropped = event.dataTransfer?.files[0]
      if (dropped === undefined) return
      event.preventDefault()
      onDrop(dropped)
    }
    window.addEventListener('dragover', allow)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', allow)
      window.removeEventListener('drop', drop)
    }
  }, [])
  if (file === null) return children(() => pickFile(show))
  return (
    <Suspense fallback={<p className="small faint">Loading …</p>}>
      <FileTrace key={`${file.name} ${file.lastModified}`} file={file} onClose={() => show(null)} />
    </Suspense>
  )
}

const NO_CHOICES = Object.fromEntries(
  ['view', 'span', 'show', 'find', 'with', 'fold', 'focus', 'zoom', 'with-trace'].map((name) => [name, null]),
)

function pickFile(show: (file: File) => void): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = '.json,.jsonl,.ndjson,application/json'
  input.addEventListener('change', () => {
    const chosen = input.files?.[0]
    if (chosen !== undefined) show(chosen)
  })
  input.click()
}
