import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { PayloadTree } from '../../../dashboards/envelopes/payload-tree'
import {
  cutString,
  ENTRIES_AT_ONCE,
  LONGEST_STRING,
  moreText,
  previewOf,
  sizeOf,
} from '../../../dashboards/envelopes/tree-values'

const treeOf = (value: unknown): string => renderToStaticMarkup(<PayloadTree value={value} />)

describe('the tree of a payload', () => {
  it('opens two levels and shows a preview of deeper ones', () => {
    const tree = treeOf({ exception: { values: [{ type: 'Error', value: 'declined' }] } })
    expect(tree.match(/aria-expanded="true"/g)).toHaveLength(1)
    expect(tree.match(/aria-expanded="false"/g)).toHaveLength(1)
    expect(tree).toContain('[{type: &quot;Error&quot;, value: &quot;declined&quot;}]')
  })

  it('shows at most 100 entries of a list at first', () => {
    const tree = treeOf(Array.from({ length: 250 }, (_, at) => at))
    expect(tree.match(/<li/g)).toHaveLength(ENTRIES_AT_ONCE + 1)
    expect(tree).toContain('Show 100 more of 250')
    expect([moreText(200, 250), moreText(250, 250)]).toEqual(['Show 50 more of 250', null])
  })

  it('shows a payload that is no list, empty values, and received characters as text', () => {
    expect(treeOf('only text')).toContain('only text')
    expect(treeOf({ none: null, list: [], map: {}, '__proto__\u202e': '<b>' })).toMatch(
      /null.*\[\].*\{\}.*⟨U\+202E⟩.*&lt;b&gt;/,
    )
  })
})

describe('long values', () => {
  it('are cut at 200 characters or 6 lines', () => {
    expect(cutString('x'.repeat(LONGEST_STRING))).toBeNull()
    expect(cutString('x'.repeat(LONGEST_STRING + 1))).toHaveLength(LONGEST_STRING)
    expect(cutString('1\n2\n3\n4\n5\n6\n7')).toBe('1\n2\n3\n4\n5\n6')
  })

  it('have a short preview, however large or deep they are', () => {
    expect(previewOf({ a: 'x'.repeat(99), b: [1, true, null] })).toBe(`{a: "${'x'.repeat(40)}…", b: [1, true, null]}`)
    expect(previewOf(Array.from({ length: 100_000 }, () => 'abc')).length).toBeLessThan(110)
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    expect(previewOf(deep).length).toBeLessThan(250)
    expect([sizeOf([1, 2]), sizeOf({ a: 1 })]).toEqual(['2 items', '1 entry'])
  })
})
