import { describe, expect, it } from 'vitest'
import { buildSpanTree } from '../../../../lib/protocol/trace/span-tree'
import { seededRandom } from '../seeded-random'
import { draw, outline } from './drawing'

/** Its outline, with the line breaks and the indentation of a template in a test. */
const tree = (drawing: string): string =>
  `\n${outline(buildSpanTree(draw(drawing)).roots)}`.replace(/\n(?=.)/g, '\n      ').replace(/\n$/, '\n    ')

describe('a span tree', () => {
  it('has children below their parents, in order of their start', () => {
    const drawing = `
      late < pageload          |--|
      pageload       |--------------|
      call < pageload    |----|
      server < call       |--|           @server
      query < server       ||            @server
    `
    expect(tree(drawing)).toBe(`
      pageload
        call
          server
            query
        late
    `)
  })

  it('has roots in order of their start; equal starts keep the order of sending', () => {
    const drawing = `
      b      |--|
      c   |--|
      a      |--|
    `
    expect(tree(drawing)).toBe(`
      c
      b
      a
    `)
  })

  it('has an orphan as a root', () => {
    const drawing = `
      pageload         |--------|
      call < lost         |---|
      inner < call         |-|
    `
    expect(tree(drawing)).toBe(`
      pageload
      call (orphan)
        inner
    `)
  })

  it('has an orphan below its parent when that arrives', () => {
    const before = `
      server < call      |--|    @server
    `
    const after = `
      server < call      |--|    @server
      call < pageload   |----|
      pageload         |-------|
    `
    expect(tree(before)).toBe(`
      server (orphan)
    `)
    expect(tree(after)).toBe(`
      pageload
        call
          server
    `)
  })

  it('has a span that arrived twice once, in its last version', () => {
    const drawing = `
      call             |--|
      pageload       |--------|
      call < pageload  |-----|
    `
    expect(tree(drawing)).toBe(`
      pageload
        call
    `)
  })

  it('has a span that names itself as its parent as a root', () => {
    expect(tree('self < self  |--|')).toBe(`
      self
    `)
  })

  it('cuts a cycle at its earliest span', () => {
    const drawing = `
      a < c    |------|
      b < a   |------|
      c < b     |------|
    `
    expect(tree(drawing)).toBe(`
      b
        c
          a
    `)
  })

  it('keeps a span below its cycle, even when it began before the cycle', () => {
    const drawing = `
      tail < a   |---------|
      a < b        |----|
      b < a           |----|
    `
    expect(tree(drawing)).toBe(`
      a
        tail
        b
    `)
  })

  it('has two cycles as two more trees', () => {
    const drawing = `
      root   |-----------|
      a < b   |--|
      b < a    |--|
      c < d     |--|
      d < c      |--|
    `
    expect(tree(drawing)).toBe(`
      root
      a
        b
      c
        d
    `)
  })

  it('flags a child of another service that begins before its parent', () => {
    const drawing = `
      call              |----|
      server < call  |----|       @server
    `
    expect(tree(drawing)).toBe(`
      call
        server (skewed)
    `)
  })

  it('flags a child of another service that ends after its parent', () => {
    const drawing = `
      call              |----|
      server < call       |----|  @server
    `
    expect(tree(drawing)).toBe(`
      call
        server (skewed)
    `)
  })

  it('does not flag a page load, which begins before its request and ends after it', () => {
    const spans = draw(`
      request           |--|        @server
      page < request  |--------|
    `)
    const marked = (op: string): string =>
      outline(buildSpanTree(spans.map((span) => (span.spanId === 'page' ? { ...span, op } : span))).roots)
    expect(marked('pageload')).toBe('request\n  page\n')
    expect(marked('http.client')).toBe('request\n  page (skewed)\n')
  })

  it('does not flag a child that touches the ends of its parent', () => {
    const drawing = `
      call              |----|
      server < call     |----|    @server
    `
    expect(tree(drawing)).toBe(`
      call
        server
    `)
  })

  it('does not flag a late child of the same service, which has the same clock', () => {
    const drawing = `
      pageload              |----|
      layout.shift < pageload       |
    `
    expect(tree(drawing)).toBe(`
      pageload
        layout.shift
    `)
  })

  it('is empty without spans', () => {
    expect(buildSpanTree([]).roots).toEqual([])
  })

  it('contains the same span objects', () => {
    const spans = draw('a |--|')
    expect(buildSpanTree(spans).roots[0]?.span).toBe(spans[0])
  })
})

describe('a large span tree', () => {
  const chain = (length: number) =>
    Array.from({ length }, (_, index) => ({
      spanId: `s${index}`,
      parentSpanId: index === 0 ? null : `s${index - 1}`,
      service: 'browser',
      op: null,
      startUs: index,
      endUs: length,
    }))

  function count(roots: ReturnType<typeof buildSpanTree>['roots']): { spans: number; deepest: number } {
    const open = [...roots]
    const ids = new Set<string>()
    let deepest = 0
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      ids.add(node.span.spanId)
      deepest = Math.max(deepest, node.depth)
      open.push(...node.children)
    }
    return { spans: ids.size, deepest }
  }

  it('may be 20 000 levels deep', () => {
    expect(count(buildSpanTree(chain(20_000)).roots)).toEqual({ spans: 20_000, deepest: 19_999 })
  })

  it('may be one cycle of 20 000', () => {
    const [first, ...rest] = chain(20_000)
    if (first === undefined) throw new Error('no chain')
    const cycle = [{ ...first, parentSpanId: 's19999' }, ...rest]
    expect(count(buildSpanTree(cycle).roots)).toEqual({ spans: 20_000, deepest: 19_999 })
  })

  it('has every span exactly once, for random parents', () => {
    const random = seededRandom(7)
    for (let round = 0; round < 200; round += 1) {
      const size = 1 + Math.floor(random() * 30)
      const spans = Array.from({ length: size }, (_, index) => ({
        spanId: `s${index}`,
        parentSpanId: random() < 0.1 ? null : `s${Math.floor(random() * (size + 3))}`,
        service: random() < 0.5 ? 'browser' : 'server',
        op: null,
        startUs: Math.floor(random() * 10),
        endUs: 10,
      }))
      const { roots } = buildSpanTree(spans)
      const seen: string[] = []
      const open = [...roots]
      for (let node = open.pop(); node !== undefined; node = open.pop()) {
        seen.push(node.span.spanId)
        for (const child of node.children) expect(child.span.parentSpanId).toBe(node.span.spanId)
        open.push(...node.children)
      }
      expect(seen.sort()).toEqual(spans.map((span) => span.spanId).sort())
    }
  })
})
