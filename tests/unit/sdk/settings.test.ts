import { describe, expect, it } from 'vitest'
import { parseSettings, type TelemetrySettings } from '../../../lib/sdk/settings'

const settings: TelemetrySettings = {
  dsn: 'http://local@127.0.0.1:8969/1',
  lifecycle: 'stream',
  environment: 'production',
  release: null,
}

describe('settings that crossed a wire', () => {
  it('are read back whole', () => {
    expect(parseSettings(JSON.stringify(settings))).toEqual(settings)
    expect(parseSettings(JSON.stringify({ ...settings, release: 'a@1' }))?.release).toBe('a@1')
  })

  it.each([
    ['no attribute', null],
    ['an empty one', ''],
    ['something else', '"text"'],
    ['null', 'null'],
    ['no DSN', JSON.stringify({ ...settings, dsn: undefined })],
    ['an unknown lifecycle', JSON.stringify({ ...settings, lifecycle: 'both' })],
    ['no environment', JSON.stringify({ ...settings, environment: 3 })],
  ])('are none: %s', (_what, text) => {
    expect(parseSettings(text)).toBeNull()
  })
})
