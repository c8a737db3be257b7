import { TraceReading } from '../../../collector/index/traces/read-trace'
import { openForReading } from '../../../collector/runtime/database'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { type TraceDetail, traceDetailSchema } from '../../../lib/wire/trace'
import type { Folder } from './folder'

/** Reads a trace in as many pieces as possible and parses the document. */
export function readWholeTrace(
  folder: Folder,
  traceId: string,
  most = 100_000,
  between: (piece: number, text: string) => unknown = () => undefined,
): TraceDetail | null {
  const db = openForReading(folder.file('telemetry.db'))
  try {
    db.prepare('ATTACH ? AS spool').run(folder.file('spool.db'))
    const reading = TraceReading.open(db, traceId, most, SIZE_LIMITS)
    if (reading === null) return null
    let text = ''
    for (let [piece, done] = [0, false]; !done; piece += 1) {
      const next = reading.next(db, () => true)
      text += next.text
      done = next.done
      between(piece, next.text)
    }
    return traceDetailSchema.parse(JSON.parse(text))
  } finally {
    db.close()
  }
}
