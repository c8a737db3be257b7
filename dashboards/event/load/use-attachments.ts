'use client'

import { useEffect, useState } from 'react'
import { collectorClient } from '../../../lib/wire/collector-client'
import { failureOf } from '../../live/load/failure'
import { type Attachment, attachmentsOf } from '../arrange/attachments'

const client = collectorClient('/collector', (...args) => fetch(...args))

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

/** Address of the bytes of an envelope, as they were recorded. */
export const rawUrl = (seq: number): string => client.rawUrl(seq)
