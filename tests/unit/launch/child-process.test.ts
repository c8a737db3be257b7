import { describe, expect, test } from 'vitest'
import { bufferLines } from '../../../collector/launch/child-process'

function buffered() {
  const written: string[] = []
  return { written, lines: bufferLines('app', (line) => written.push(line)) }
}

describe('the output of a child process', () => {
  test('is buffered while it starts, and dropped when it is ready', () => {
    const { written, lines } = buffered()
    lines.add('▲ Next.js')
    lines.passThrough()
    lines.add('an error')
    expect(written).toEqual(['app | an error'])
  })

  test('is printed, its last 200 lines, when it does not start', () => {
    const { written, lines } = buffered()
    for (let n = 1; n <= 250; n++) lines.add(`line ${n}`)
    lines.flush()
    expect(written).toHaveLength(200)
    expect(written.at(0)).toBe('app | line 51')
    expect(written.at(-1)).toBe('app | line 250')
  })

  test('is printed without lines that only move the cursor', () => {
    const { written, lines } = buffered()
    lines.passThrough()
    lines.add('\u001b[?25h')
    lines.add('')
    expect(written).toEqual(['app | '])
  })
})
