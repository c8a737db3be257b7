import { describe, expect, test } from 'vitest'
import { holdLines } from '../../../collector/launch/held-lines'

function held() {
  const written: string[] = []
  return { written, lines: holdLines('app', (line) => written.push(line)) }
}

describe('what a child writes', () => {
  test('is held back while it starts, and forgotten when it is up', () => {
    const { written, lines } = held()
    lines.take('▲ Next.js')
    lines.passOn()
    lines.take('an error')
    expect(written).toEqual(['app | an error'])
  })

  test('is shown, the last 200 lines of it, when it does not come up', () => {
    const { written, lines } = held()
    for (let n = 1; n <= 250; n++) lines.take(`line ${n}`)
    lines.show()
    expect(written).toHaveLength(200)
    expect(written.at(0)).toBe('app | line 51')
    expect(written.at(-1)).toBe('app | line 250')
  })

  test('is left out when it only moves the cursor', () => {
    const { written, lines } = held()
    lines.passOn()
    lines.take('\u001b[?25h')
    lines.take('')
    expect(written).toEqual(['app | '])
  })
})
