import { expect, it } from 'vitest'
import { isOwnOrLoopbackOrigin } from '../../../lib/tunnel/read-request'

it.each([
  ['a program without an origin', null, 'app.test'],
  ['a page of the same host', 'https://app.test', 'app.test'],
  ['a page of the same host, default port written out', 'https://app.test', 'app.test:443'],
  ['a page of the same host and port', 'http://app.test:3000', 'APP.test:3000'],
  ['a page of this machine on another port', 'http://localhost:5173', 'app.test'],
  ['a page of this machine by its address', 'http://[::1]:5173', 'app.test'],
])('isOwnOrLoopbackOrigin accepts %s', (_who, origin, host) => {
  expect(isOwnOrLoopbackOrigin(origin, host)).toBe(true)
})

it.each([
  ['a page of another host', 'https://evil.test', 'app.test'],
  ['a page of another port', 'https://app.test:8443', 'app.test'],
  ['a page of a host that begins alike', 'https://app.test.evil.test', 'app.test'],
  ['a page of a host that is only named like this machine', 'http://localhost.evil.test', 'app.test'],
  ['a sandboxed frame', 'null', 'app.test'],
  ['a page, when there is no Host', 'https://app.test', null],
  ['nonsense', 'x', 'x'],
])('isOwnOrLoopbackOrigin rejects %s', (_who, origin, host) => {
  expect(isOwnOrLoopbackOrigin(origin, host)).toBe(false)
})
