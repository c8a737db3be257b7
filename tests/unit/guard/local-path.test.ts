import { expect, it } from 'vitest'
import { localPath } from '../../../lib/guard/local-path'

it.each(['/', '/traces', '/traces/0123?tab=spans&x=%20'])('localPath accepts %s, a path of this app', (path) => {
  expect(localPath(path)).toBe(path)
})

it.each([
  ['another host', 'https://evil.test/'],
  ['another host without a scheme', '//evil.test/'],
  ['another host, for browsers that read a backslash as a slash', '/\\evil.test/'],
  ['a later backslash', '/a\\..\\\\evil.test'],
  ['a script', 'javascript:alert(1)'],
  ['a line break', '/a\nlocation: /b'],
  ['the login page itself', '/login?next=/login'],
  ['nothing', undefined],
  ['a list', ['/a', '/b']],
  ['a relative path', 'traces'],
])('localPath returns / for %s', (_what, requested) => {
  expect(localPath(requested)).toBe('/')
})
