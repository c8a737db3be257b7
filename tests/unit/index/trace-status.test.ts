import { describe, expect, it } from 'vitest'
import { recordOf } from './random-records'
import { rowsOf } from './rows-in-memory'

/** The status of a trace whose segments have these. */
function statusOf(...statuses: readonly (string | null)[]): unknown {
  const items = statuses.map((status, n) => ({
    trace_id: 'a'.repeat(32),
    span_id: String(n + 1).padStart(16, '0'),
    start_timestamp: 1,
    is_segment: true,
    status,
  }))
  const { db } = rowsOf([recordOf(`{}\n{"type":"span"}\n${JSON.stringify({ items })}`, 1, 'envelope')])
  try {
    return db.prepare('SELECT status FROM traces').pluck().get()
  } finally {
    db.close()
  }
}

describe('the status of a trace', () => {
  it.each(['error', 'internal_error', 'unknown_error', 'deadline_exceeded', 'not_found'])(
    'is error when a segment has %s',
    (status) => {
      expect(statusOf('ok', status, null)).toBe('error')
    },
  )

  it.each(['ok', 'cancelled'])('is ok when a segment has %s and none has an error', (status) => {
    expect(statusOf(null, status, 'unset')).toBe('ok')
  })

  it.each([null, 'unset'])('is unset when segments have %s', (status) => {
    expect(statusOf(status, null)).toBeNull()
  })
})
