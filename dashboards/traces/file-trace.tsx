'use client'

import { useCallback, useEffect, useState } from 'react'
import { plural } from '../../lib/format'
import type { Result } from '../../lib/protocol/result'
import { printable } from '../ui/printable'
import { TopBar } from '../ui/top-bar'
import styles from './trace-board.module.css'
import { openTraceFile, type TraceFile } from './trace-file'
import { TraceView } from './trace-view'
import { SpanSource } from './use-span'
import { forgetChoices } from './use-trace-state'

interface FileTraceProps {
  readonly file: File
  readonly onClose: () => void
}

/** A trace from a file. It is only in the memory of this page: the collector neither gets it nor is asked about it. */
export function FileTrace({ file, onClose }: FileTraceProps) {
  const [read, setRead] = useState<Result<TraceFile, string> | null>(null)
  useEffect(() => {
    forgetChoices()
    let isCurrent = true
    void openTraceFile(file).then((result) => {
      if (isCurrent) setRead(result)
    })
    return () => {
      isCurrent = false
    }
  }, [file])
  const close = (): void => {
    forgetChoices()
    onClose()
  }
  const opened = read?.ok === true ? read.value : null
  const readSpan = useCallback(async (_traceId: string, spanId: string) => opened?.detailOf(spanId) ?? null, [opened])
  return (
    <div className={styles.board}>
      {opened === null && <TopBar title="Trace file" />}
      <p
        data-first={opened !== null}
        className={read?.ok === false ? 'banner bad small' : 'banner small'}
        role={read?.ok === false ? 'alert' : 'status'}
      >
        <strong>From a file: {printable(file.name)};</strong> nothing was sent or stored. {read === null && 'Reading …'}
        {read?.ok === false && `${printable(read.error)} `}
        {opened !== null && opened.others > 0 && (
          <>It has {plural(opened.others, 'other trace')} with fewer or as many spans. </>
        )}
        <button type="button" className="link-button" onClick={close}>
          Close the file
        </button>
      </p>
      {opened !== null && (
        <SpanSource value={readSpan}>
          <TraceView trace={opened.trace} signals={[]} readSegment={() => null} connection={null} />
        </SpanSource>
      )}
    </div>
  )
}
