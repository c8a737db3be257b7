import { describe, expect, it } from 'vitest'
import { matchSiblings } from '../../../../lib/verdict/golden/align'
import { type GoldenLine, goldenText, sorted } from '../../../../lib/verdict/golden/golden-file'
import { matchesGolden, mergeGolden } from '../../../../lib/verdict/golden/merge'
import { file } from './sample-golden'

describe('matchesGolden', () => {
  it.each([
    ['equal trees', 'a\n  b ×2', 'a\n  b ×2', true],
    ['siblings in another order', 'a\nb', 'b\na', true],
    ['another label', 'a', 'b', false],
    ['a missing span', 'a\nb', 'a', false],
    ['a further span', 'a', 'a\nb', false],
    ['a further span below', 'a', 'a\n  b', false],
    ['another count', 'a ×2', 'a ×3', false],
    ['a count within the range', 'a ×1..3', 'a ×3', true],
    ['a count above the range', 'a ×1..3', 'a ×4', false],
    ['a count below the range', 'a ×2..3', 'a', false],
    ['any count', 'a ×*', 'a ×9999', true],
    ['no span for any count', 'a ×*\nb', 'b', false],
    ['a missing optional line', '? a ×2\nb', 'b', true],
    ['an optional line with too many spans', '? a ×2\nb', 'a ×3\nb', false],
    ['a missing optional line with lines below', '? a\n  b\nc', 'c', true],
    ['an optional line without its lines below', '? a\n  b\nc', 'a\nc', false],
    ['a range over spans that differ below', 'a ×2..4\n  ? b', 'a ×2\na\n  b', true],
    // The first line could take both spans, and then the second has none.
    ['spans that only one assignment matches', 'a ×1..2\n  ? b\na\n  b', 'a\na\n  b', true],
    ['spans that move from one line to another', 'a ×1..2\n  ? b\na\n  b\n', 'a\n  b ×1\na\n  b', true],
    ['more spans than all lines together', 'a ×1..2\n  ? b\na\n  b', 'a ×2\na ×2\n  b', false],
    ['fewer spans than all lines together', 'a ×2..3\n  ? b\na ×2\n  b', 'a\na ×2\n  b', false],
  ])('%s', (_what, expected, actual, matches) => {
    expect(matchesGolden(file(expected), file(actual))).toBe(matches)
  })

  it('compares the lifecycle', () => {
    expect(matchesGolden(file('a'), file('a', 'stream'))).toBe(false)
  })
})

describe('mergeGolden', () => {
  it.each([
    ['takes a new trace for a file without edits', 'a\n  b ×2', 'a\n  b ×3\nc', 'a\n  b ×3\nc'],
    ['keeps a range that still matches', 'a ×1..3\nb', 'a ×2\nc', 'a ×1..3\nc'],
    ['replaces a range that no longer matches', 'a ×1..3', 'a ×4', 'a ×4'],
    ['keeps an optional line that is missing', '? a ×*\n  b\nc', 'd', '? a ×*\n  b\nd'],
    [
      'keeps edits below a line that changed',
      'a [status=200]\n  b ×*',
      'a [status=500]\n  b ×7',
      'a [status=500]\n  b ×*',
    ],
    ['keeps an edited line whose spans differ below', 'a ×1..9\n  ? b\nx', 'a ×2\na ×3\n  b\ny', 'a ×1..9\n  ? b\ny'],
    ['keeps a line with new spans below', '? a ×1..2\n  b', 'a\n  b\n  c', '? a ×1..2\n  b\n  c'],
    ['counts further spans of a line without an edit', 'a\nx', 'a ×5\ny', 'a ×5\ny'],
    ['drops a line without spans', 'a\nb ×*', 'a', 'a'],
  ])('%s', (_what, expected, actual, merged) => {
    expect(goldenText(mergeGolden(file(expected), file(actual)))).toBe(goldenText(file(merged)))
  })

  it('leaves a file that matches as it is, in the order of its lines', () => {
    expect(goldenText(mergeGolden(file('b\na ×*'), file('a ×7\nb')))).toBe(goldenText(file('b\na ×*')))
  })

  it('matches the trace for 1000 random files and traces', () => {
    const random = randomFrom(17)
    for (let round = 0; round < 1000; round += 1) {
      const expected = randomLines(random, 2, true)
      const actual = grouped(randomLines(random, 2, false))
      const { roots } = mergeGolden({ lifecycle: 'static', roots: expected }, { lifecycle: 'static', roots: actual })
      if (!matchSiblings(roots, actual)) expect({ expected, actual, roots }).toBe('a merge that matches')
    }
  })
})

/** A sequence of numbers below a bound (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function randomLines(random: (below: number) => number, depth: number, isEdited: boolean): readonly GoldenLine[] {
  const count = 1 + random(3)
  return Array.from({ length: count }, () => {
    const least = 1 + random(2)
    const most = !isEdited ? least : [least, least + random(3), Number.POSITIVE_INFINITY][random(3)]
    return {
      label: `${'ab'[random(2)]}${['', ' [status=200]'][random(2)]}`,
      isOptional: isEdited && random(3) === 0,
      least,
      most: most ?? least,
      children: depth === 0 || random(2) === 0 ? [] : randomLines(random, depth - 1, isEdited),
    }
  })
}

/** Equal siblings as one line, as in a recorded trace. */
function grouped(lines: readonly GoldenLine[]): readonly GoldenLine[] {
  const groups = new Map<string, GoldenLine>()
  for (const line of lines) {
    const one = { ...line, children: grouped(line.children) }
    const key = JSON.stringify([one.label, one.children])
    const count = (groups.get(key)?.most ?? 0) + one.most
    groups.set(key, { ...one, least: count, most: count })
  }
  return sorted([...groups.values()])
}
