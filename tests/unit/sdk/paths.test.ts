import { expect, it } from 'vitest'
import { isUntraced } from '../../../lib/sdk/paths'

it.each(['/', '/lab', '/lab/api/slow', '/nope', '/tracesque', '/t', '/t/a/b', '/t/a.b'])(
  'the server traces %s',
  (path) => {
    expect(isUntraced(path)).toBe(false)
  },
)

it.each([
  ['/tunnel', 'the tunnel'],
  ['/tunnel/v1/traces', 'the tunnel for OpenTelemetry'],
  ['/t/k3', 'the tunnel under another name'],
  ['/t/k3/v1/traces?a', 'the tunnel of OpenTelemetry under another name'],
  ['/collector/query/stream', 'the collector'],
  ['/settings', 'the settings'],
  ['/feedback', 'the feedback of visitors'],
  ['/feedback/send', 'the feedback of visitors'],
  ['/traces', 'a board'],
  ['/traces/0123', 'a page of a board'],
  ['/envelopes', 'a board'],
  ['/events/0123', 'a page of a board'],
  ['/signals', 'a board'],
  ['/deliveries', 'a board'],
  ['/losses', 'a board'],
  ['/storage', 'a board'],
  ['/limits', 'a board'],
  ['/contract', 'a board'],
  ['/stand-in', 'a board'],
  ['/login', 'the login'],
])('the server does not trace %s: %s', (path) => {
  expect(isUntraced(path)).toBe(true)
})
