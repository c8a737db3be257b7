import { formatDurationUs, plural } from '../../lib/format'
import type { EventDetail } from '../../lib/wire/event'
import { Glyph } from '../ui/glyph'
import { seriesOf } from '../ui/labels'
import { Received } from '../ui/received'
import { formatOffset } from '../ui/times'
import styles from './side.module.css'
import { lostText, type TraceAround } from './use-trace-around'

/** Lanes of the picture; further spans share the last one. */
const LANES = 12
const LANE_HEIGHT = 4

interface TracePictureProps {
  readonly event: EventDetail & { readonly traceId: string }
  readonly around: TraceAround
}

/** The trace of an event in small, with the error as a line, and a link to the trace. */
export function TracePicture({ event, around }: TracePictureProps) {
  const { segments, spans, state, isCut } = around
  const lost = lostText(around)
  const bars = [...segments, ...spans.filter(({ isSegment }) => !isSegment)].sort(
    (one, other) => one.startUs - other.startUs || other.endUs - one.endUs,
  )
  const start = Math.min(...bars.map(({ startUs }) => startUs))
  const end = Math.max(event.timestampUs, ...bars.map(({ endUs }) => endUs))
  const root = segments.find(({ parentSpanId }) => parentSpanId === null) ?? bars[0]
  const at = (us: number): number => ((us - start) / Math.max(1, end - start)) * 100
  return (
    <section className={styles.section} aria-labelledby="its-trace">
      <div className={styles.head}>
        <h2 id="its-trace">Its trace</h2>
        <a href={`/traces/${encodeURIComponent(event.traceId)}`}>
          {root === undefined ? <code>{event.traceId.slice(0, 8)}</code> : <Received text={root.name} />}
        </a>
      </div>
      {state === 'failed' && <p className="small soft">Its spans could not be read.</p>}
      {state === 'read' && bars.length === 0 && (
        <p className="small soft">No spans of it have arrived: it was not sampled, or they are still to come.</p>
      )}
      {bars.length > 0 && root !== undefined && (
        <>
          <svg
            className={styles.picture}
            viewBox={`0 0 100 ${LANES * LANE_HEIGHT}`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {bars.map((bar, lane) => (
              <rect
                key={'spanId' in bar ? bar.spanId : bar.segmentId}
                data-series={seriesOf(bar.service)}
                x={at(bar.startUs)}
                y={Math.min(lane, LANES - 1) * LANE_HEIGHT + 1}
                width={Math.max(0.6, at(bar.endUs) - at(bar.startUs))}
                height={LANE_HEIGHT - 2}
              />
            ))}
            <rect className={styles.moment} x={at(event.timestampUs) - 0.3} y="0" width="0.6" height="100%" />
          </svg>
          <p className="small soft">
            At {formatOffset(event.timestampUs - start)} of {formatDurationUs(end - start)}, {isCut ? 'more than ' : ''}
            {plural(bars.length, 'span')}.
          </p>
        </>
      )}
      {lost !== '' && (
        <p className="small" data-lost>
          <Glyph name="dropped" /> Lost of this trace: {isCut && 'at least '}
          {lost}. See <a href="/losses">losses</a>.
        </p>
      )}
    </section>
  )
}
