import { describe, expect, it } from 'vitest'
import { capturedSignals, problemOf, signalOf } from './read-signals'

describe('a check-in', () => {
  it('is one signal by its id', () => {
    expect(capturedSignals('cli-2.58-check-in')).toMatchObject([
      {
        kind: 'check_in',
        key: 'a517ae21e2f4454f865a0c5e5a09fbaa',
        name: 'nightly',
        level: 'in_progress',
        environment: 'production',
        fields: { duration: null, monitorConfig: null },
      },
    ])
  })

  it.each(['ok', 'error', 'missed'])(
    'the end of a check-in as %s replaces its start in either order of arrival',
    (status) => {
      const id = { check_in_id: 'A517AE21-E2F4-454F-865A-0C5E5A09FBAA', monitor_slug: 'nightly' }
      const begun = signalOf('check_in', { ...id, status: 'in_progress' })
      const ended = signalOf('check_in', { ...id, status, duration: 2 })
      expect(ended.key).toBe(begun.key)
      expect(ended.rank).toBeGreaterThan(begun.rank)
    },
  )

  it('a check-in with an id of zeros refers to the last check-in, and has no key', () => {
    const zeros = { check_in_id: '0'.repeat(32), monitor_slug: 'nightly', status: 'ok' }
    expect([signalOf('check_in', zeros).key, signalOf('check_in', { monitor_slug: 'x' }).key]).toEqual([null, null])
  })

  it('keeps the configuration of its monitor', () => {
    const monitor_config = { schedule: { type: 'crontab', value: '0 * * * *' } }
    expect(signalOf('check_in', { monitor_slug: 'x', monitor_config }).fields.monitorConfig).toEqual(monitor_config)
  })

  it('a check-in without a monitor cannot be parsed', () => {
    expect(problemOf('check_in', { check_in_id: 'a' })).toBe('the check-in names no monitor_slug')
  })
})
