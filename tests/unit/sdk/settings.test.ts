import { expect, it } from 'vitest'
import { parseSettings, type TelemetrySettings } from '../../../lib/sdk/settings'

const settings: TelemetrySettings = {
  dsn: 'http://local@127.0.0.1:8969/1',
  lifecycle: 'stream',
  environment: 'production',
  release: null,
  consent: { byDefault: 'kept', bySignal: 'off' },
  tunnel: '/t/k3',
}

it('parseSettings reads what JSON.stringify wrote', () => {
  expect(parseSettings(JSON.stringify(settings))).toEqual(settings)
  expect(parseSettings(JSON.stringify({ ...settings, release: 'a@1' }))?.release).toBe('a@1')
})

it.each([
  ['no attribute', null],
  ['an empty attribute', ''],
  ['a string', '"text"'],
  ['null', 'null'],
  ['no DSN', JSON.stringify({ ...settings, dsn: undefined })],
  ['an unknown lifecycle', JSON.stringify({ ...settings, lifecycle: 'both' })],
  ['no environment', JSON.stringify({ ...settings, environment: 3 })],
])('parseSettings returns null for %s', (_what, text) => {
  expect(parseSettings(text)).toBeNull()
})
