import { describe, expect, it } from 'vitest'
import { localPath } from '../../../app/login/local-path'

describe('after signing in', () => {
  it.each(['/', '/traces', '/traces/0123?tab=spans&x=%20'])('one goes to %s, a path of this app', (path) => {
    expect(localPath(path)).toBe(path)
  })

  it.each([
    ['another host', 'https://evil.test/'],
    ['another host without a scheme', '//evil.test/'],
    ['another host to a browser that reads a backslash as a slash', '/\\evil.test/'],
    ['a backslash further on', '/a\\..\\\\evil.test'],
    ['a script', 'javascript:alert(1)'],
    ['a line break', '/a\nlocation: /b'],
    ['the login page itself', '/login?next=/login'],
    ['nothing', undefined],
    ['two of them', ['/a', '/b']],
    ['a relative path', 'traces'],
  ])('one goes home instead of to %s', (_what, asked) => {
    expect(localPath(asked)).toBe('/')
  })
})
