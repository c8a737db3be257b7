'use client'

import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'

const FileTrace = lazy(() => import('./file-trace').then((module) => ({ default: module.FileTrace })))

interface DroppedFileProps {
  /** @param pick lets a person choose a file */
  readonly children: (pick: () => void) => ReactNode
}

/** A board on which a trace file can be dropped. The file is then shown in place of the board, until it is closed. */
export function DroppedFile({ children }: DroppedFileProps) {
  const [file, setFile] = useState<File | null>(null)
  useEffect(() => {
    const allow = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
    }
    const drop = (event: DragEvent): void => {
      const dropped = event.dataTransfer?.files[0]
      if (dropped === undefined) return
      event.preventDefault()
      setFile(dropped)
    }
    window.addEventListener('dragover', allow)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', allow)
      window.removeEventListener('drop', drop)
    }
  }, [])
  if (file === null) return children(() => pickFile(setFile))
  return (
    <Suspense fallback={<p className="small faint">Loading …</p>}>
      <FileTrace key={`${file.name} ${file.lastModified}`} file={file} onClose={() => setFile(null)} />
    </Suspense>
  )
}

/** Lets a person choose a trace file. */
export function pickFile(show: (file: File) => void): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = '.json,.jsonl,.ndjson,application/json'
  input.addEventListener('change', () => {
    const chosen = input.files?.[0]
    if (chosen !== undefined) show(chosen)
  })
  input.click()
}
