/** The statements that write rows. `insert…` says whether a row is new, `replace…` and `mark…` what becomes of one that is not. */
export const SQL = {
  envelope: `INSERT OR REPLACE INTO envelopes (seq, journal, digested_at, state, copy, event_id, trace_id, sdk, environment, stamp)
    VALUES (@seq, @journal, @digestedAt, @state, @copy, @eventId, @traceId, @sdk, @environment, @stamp)`,
  item: `INSERT OR REPLACE INTO items (seq, item, journal, type, category, quantity, bytes, trace_id, event_id, problem)
    VALUES (@seq, @item, @journal, @type, @category, @quantity, @bytes, @traceId, @eventId, @problem)`,
  insertSegment: `INSERT OR IGNORE INTO segments (trace_id, segment_id, seq, item, copy, parent_span_id, name, op, status, start_us, end_us,
      lifecycle, service, environment, release, sdk)
    VALUES (@traceId, @segmentId, @seq, @item, @copy, @parentSpanId, @name, @op, @status, @startUs, @endUs, @lifecycle, @service,
      @environment, @release, @sdk)`,
  replaceSegment: `UPDATE segments SET seq = @seq, item = @item, copy = iif(copy = 'no', 'no', 'also'), parent_span_id = @parentSpanId,
      name = @name, op = @op, status = @status, start_us = @startUs, end_us = @endUs, lifecycle = @lifecycle, service = @service,
      environment = @environment, release = @release, sdk = @sdk WHERE trace_id = @traceId AND segment_id = @segmentId`,
  markSegment: `UPDATE segments SET copy = 'also' WHERE trace_id = @traceId AND segment_id = @segmentId AND copy = 'no'`,
  insertSpan: `INSERT OR IGNORE INTO spans (trace_id, span_id, seq, item, place, copy, parent_span_id, segment_id, is_segment, name, op, status,
      origin, service, start_us, end_us, attributes, links)
    VALUES (@traceId, @spanId, @seq, @item, @place, @copy, @parentSpanId, @segmentId, @isSegment, @name, @op, @status, @origin, @service,
      @startUs, @endUs, @attributes, @links)`,
  replaceSpan: `UPDATE spans SET seq = @seq, item = @item, place = @place, copy = iif(copy = 'no', 'no', 'also'), parent_span_id = @parentSpanId,
      segment_id = @segmentId, is_segment = @isSegment, name = @name, op = @op, status = @status, origin = @origin,
      service = @service, start_us = @startUs, end_us = @endUs, attributes = @attributes, links = @links
    WHERE trace_id = @traceId AND span_id = @spanId`,
  markSpan: `UPDATE spans SET copy = 'also' WHERE trace_id = @traceId AND span_id = @spanId AND copy = 'no'`,
  insertEvent: `INSERT OR IGNORE INTO events (event_id, journal, seq, item, copy, received_at, trace_id, span_id, timestamp_us, level, platform,
      service, title, handled, mechanism, "transaction", environment, release, digest)
    VALUES (@eventId, @journal, @seq, @item, @copy, @receivedAt, @traceId, @spanId, @timestampUs, @level, @platform, @service, @title,
      @handled, @mechanism, @transaction, @environment, @release, @digest)`,
  // An event that came as a copy takes the place of the one on the path; one that came twice on the path stays as it was.
  replaceEvent: `UPDATE events SET seq = @seq, item = @item, copy = 'also' WHERE event_id = @eventId AND copy = 'only'`,
  markEvent: `UPDATE events SET copy = 'also' WHERE event_id = @eventId AND copy = 'no'`,
  breadcrumb: `INSERT OR REPLACE INTO breadcrumbs (event_id, place, timestamp_us, category, type, level, message, data)
    VALUES (@eventId, @place, @timestampUs, @category, @type, @level, @message, @data)`,
  signal: `INSERT OR REPLACE INTO signals (kind, key, journal, seq, item, place, copy, rank, received_at, timestamp_us, trace_id, span_id,
      event_id, name, level, service, environment, release, fields)
    VALUES (@kind, @key, @journal, @seq, @item, @place, @copy, @rank, @receivedAt, @timestampUs, @traceId, @spanId, @eventId, @name,
      @level, @service, @environment, @release, @fields)`,
  segmentsOf: `SELECT name, op, status, start_us, end_us, service, environment, release, parent_span_id, copy
    FROM segments WHERE trace_id = ? ORDER BY start_us, segment_id`,
  eventsOf: `SELECT title, timestamp_us, service, environment, release, copy FROM events WHERE trace_id = ? ORDER BY timestamp_us`,
  boundsOf: `SELECT min(start_us) AS start_us, max(end_us) AS end_us, min(name) AS name FROM
    (SELECT start_us, end_us, name FROM spans WHERE trace_id = ? LIMIT 1000)`,
  upsertTrace: `INSERT INTO traces (trace_id, journal, received_at, last_seq, start_us, end_us, name, op, status, segment_count, span_count,
      error_count, services, environment, release, copy)
    VALUES (@traceId, @journal, @receivedAt, @lastSeq, @startUs, @endUs, @name, @op, @status, @segmentCount, @newSpans, @errorCount,
      @services, @environment, @release, @copy)
    ON CONFLICT DO UPDATE SET last_seq = max(last_seq, excluded.last_seq), start_us = excluded.start_us, end_us = excluded.end_us,
      name = excluded.name, op = excluded.op, status = excluded.status, segment_count = excluded.segment_count,
      span_count = span_count + excluded.span_count, error_count = excluded.error_count, services = excluded.services,
      environment = excluded.environment, release = excluded.release, copy = excluded.copy`,
  moveCursor: 'UPDATE cursor SET seq = ?',
} as const
