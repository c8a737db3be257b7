import { describe, expect, it } from 'vitest'
import { isStamp } from '../../../lib/protocol/request'

describe('a stamp', () => {
  it.each(['a', '_x', 'Test_1-2', 'build-1.4.2', 'refs/heads/main', 'ci:7@shop', 'x'.repeat(64)])(
    'is a word such as %s',
    (text) => {
      expect(isStamp(text)).toBe(true)
    },
  )

  it.each(['', 'a b', '<b>', 'a\n', 'ü', 'x'.repeat(65), '../x', '/x', '.x', ':x', '@x', 'a;b', 'a=b'])(
    'is never %j',
    (text) => {
      expect(isStamp(text)).toBe(false)
    },
  )
})
