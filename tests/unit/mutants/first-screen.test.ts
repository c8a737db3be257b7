import { expect, it } from 'vitest'
import { clarityOf, waystationLines } from '../../mutants/first-screen'

const LAST = '✗ Telemetry check failed: POST /tunnel: an envelope was answered 404 (3 tests; pays)'
const printed = (...lines: readonly string[]): readonly string[] =>
  waystationLines(['  8 passed', '', '  Waystation recorded 3 envelopes', ...lines, LAST, ''].join('\n'))
const clarity = (lines: readonly string[], named: RegExp, wrong?: RegExp) =>
  clarityOf(lines, { named, ...(wrong && { wrong }) }, (line) => line !== '  Relay off')

it('reads the lines that Waystation printed after the suite', () => {
  expect(printed('', '  Relay off')).toEqual(['  Waystation recorded 3 envelopes', '', '  Relay off', LAST])
  expect(waystationLines('  8 passed\nunknown flag')).toEqual([])
})

it('calls a fault named that the first screen or the last line names, across wrapped lines', () => {
  expect(clarity(printed('  the key of the', '  page is unknown'), /key of the page/)).toBe('named')
  expect(clarity(printed(...Array.from({ length: 30 }, () => '')), /answered 404/)).toBe('named')
})

it('calls it vague below the first screen, and in a line of the control', () => {
  expect(clarity(printed(...Array.from({ length: 23 }, () => ''), '  wrong key'), /wrong key/)).toBe('vague')
  expect(clarity(printed('  Relay off'), /relay/i)).toBe('vague')
})

it('calls it wrong if the last line blames another part', () => {
  expect(clarity(printed('  wrong key'), /wrong key/, /tunnel/)).toBe('wrong')
})
