import { NO_ERRORS } from '../../lib/protocol/trace/segment'
import { POSITION_OF_TRACE } from './list-page'

/** The statements that write what one record alone tells. */
export const RECORD_SQL = {
  envelope: `INSERT OR REPLACE INTO envelopes (seq, journal, digested_at, received_at, endpoint, state, copy, event_id, trace_id,
      trace_of_header, sdk, environment, stamp)
    VALUES (@seq, @journal, @digestedAt, @receivedAt, @endpoint, @state, @copy, @eventId, @traceId, @traceOfHeader,
      @sdk, @environment, @stamp)`,
  item: `INSERT OR REPLACE INTO items (seq, item, journal, type, category, quantity, bytes, trace_id, event_id, problem)
    VALUES (@seq, @item, @journal, @type, @category, @quantity, @bytes, @traceId, @eventId, @problem)`,
  moveCursor: 'UPDATE cursor SET seq = @seq, done = done + @done',
} as const

/** The statements that take it away. */
export const ERASE_SQL = {
  envelope: 'DELETE FROM envelopes WHERE seq = ?',
  items: 'DELETE FROM items WHERE seq = ?',
} as const

/** The statements that sum up a trace. Each orders by what is unique, so that the sum does not depend on who came first. */
export const TRACE_SQL = {
  // Who says `unset` says nothing. The last columns are those of a segment that is alone.
  segments: `SELECT count(*) AS count, min(start_us) AS startUs, max(end_us) AS endUs, max(coalesce(status <> 'unset', 0)) AS someSay,
      max(status NOT IN (${NO_ERRORS.map((word) => `'${word}'`).join(', ')})) AS someFail,
      name, op, environment, release, service
    FROM segments WHERE trace_id = ?`,
  // What a person did (a page load or navigation, though the server that rendered the page may come before it), else the
  // root, else the earliest.
  named: `SELECT name, op, environment, release FROM segments WHERE trace_id = ?
    ORDER BY CASE WHEN op IN ('pageload', 'navigation') THEN 0 WHEN parent_span_id IS NULL THEN 1 ELSE 2 END,
      start_us, segment_id LIMIT 1`,
  errorCount: 'SELECT count(*) FROM events WHERE trace_id = ?',
  firstError: `SELECT title, timestamp_us AS timestampUs, environment, release FROM events WHERE trace_id = ?
    ORDER BY timestamp_us, event_id LIMIT 1`,
  // A service is the sender's word: of hundreds a list shows none.
  services: `SELECT service FROM segments WHERE trace_id = @traceId UNION SELECT service FROM events WHERE trace_id = @traceId
    ORDER BY service LIMIT 100`,
  // Where words are looked for: of hundreds the first, so that one more error does not read them all.
  texts: `SELECT name FROM (SELECT name FROM segments WHERE trace_id = @traceId ORDER BY segment_id LIMIT 100)
    UNION ALL SELECT title FROM (SELECT title FROM events WHERE trace_id = @traceId ORDER BY timestamp_us, event_id LIMIT 100)`,
  position: `SELECT ${POSITION_OF_TRACE}`,
  before: 'SELECT span_count AS spanCount FROM traces WHERE list_position = ?',
  write: `INSERT OR REPLACE INTO traces (list_position, trace_id, journal, received_at, last_seq, start_us, end_us, name, op, status, segment_count, span_count,
      error_count, services, environment, release, copy)
    VALUES (@listPosition, @traceId, @journal, @receivedAt, @lastSeq, @startUs, @endUs, @name, @op, @status, @segmentCount, @spanCount, @errorCount,
      @services, @environment, @release, @copy)`,
  remove: 'DELETE FROM traces WHERE list_position = ?',
} as const

/** The statements that write and remove what hangs from an event. */
export const BREADCRUMB_SQL = {
  read: `SELECT timestamp_us AS timestampUs, category, type, level, message, data FROM breadcrumbs WHERE event_id = ?
    ORDER BY position`,
  write: `INSERT OR REPLACE INTO breadcrumbs (event_id, position, timestamp_us, category, type, level, message, data)
    VALUES (@eventId, @position, @timestampUs, @category, @type, @level, @message, @data)`,
  remove: 'DELETE FROM breadcrumbs WHERE event_id = ?',
} as const
