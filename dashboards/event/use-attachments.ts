'use client'

import { useEffect, useState } from 'react'
import { client } from '../ui/client'
import { failureOf } from '../ui/failure'
import { type Attachment, attachmentsOf } from './attachments'

export interface AttachmentsRead {
  readonly attachments: readonly Attachment[]
  readonly failed: boolean
}

/** The files in one envelope, read once: what was received never changes. */
export function useAttachments(seq: number): AttachmentsRead {
  const [read, setRead] = useState<AttachmentsRead>({ attachments: [], failed: false })
  useEffect(() => {
    const aborter = new AbortController()
    client
      .envelope(seq, aborter.signal)
      .then((envelope) => setRead({ attachments: envelope === null ? [] : attachmentsOf(envelope), failed: false }))
      .catch((error: unknown) => {
        if (!aborter.signal.aborted && failureOf(error) !== null) setRead({ attachments: [], failed: true })
      })
    return () => aborter.abort()
  }, [seq])
  return read
}
