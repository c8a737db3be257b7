import { describe, expect, it } from 'vitest'
import { editorHref, editorProblem, mappingProblem } from '../../../dashboards/errors/editor-link'
import {
  clampMessage,
  firstToOpen,
  frameGroups,
  nearestFrames,
  packagesOf,
  shownFrames,
} from '../../../dashboards/errors/stack-display'
import type { StackFrame } from '../../../lib/wire/event'

const sent = (name: string, inApp: boolean, more: Partial<StackFrame> = {}): StackFrame => ({
  function: name,
  filename: 'a.js',
  line: 1,
  column: 1,
  inApp,
  source: [],
  vars: null,
  ...more,
})
const shown = (...frames: StackFrame[]) => shownFrames({ frames }, null)

describe('frames in groups', () => {
  const drawn = (...frames: StackFrame[]): readonly string[] =>
    frameGroups(shown(...frames)).map(
      (group) => `${group.inApp ? 'own' : 'library'}: ${group.frames.map((one) => one.function)}`,
    )

  it('keeps the order of frames and groups library frames', () => {
    expect(drawn(sent('a', true), sent('b', false), sent('c', false), sent('d', true))).toEqual([
      'own: a',
      'library: b,c',
      'own: d',
    ])
  })

  it('a stack without app frames is one visible group', () => {
    expect(drawn(sent('a', false), sent('b', false))).toEqual(['own: a,b'])
    expect(drawn()).toEqual([])
  })

  it('opens the app frame with details nearest to the error', () => {
    const bare = sent('bare', true)
    const library = sent('library', false, { vars: { self: 'x' } })
    const own = sent('own', true, { vars: { cart: [] } })
    expect(
      firstToOpen([shown(bare, { ...bare, vars: {} }, library, own, { ...own, function: 'caller' })])?.function,
    ).toBe('own')
    expect(firstToOpen([shown(bare, library)])).toBeUndefined()
  })

  it('shows the eight nearest frames and folds two or more others', () => {
    const folded = (count: number): readonly number[] => {
      const { near, more } = nearestFrames(Array.from({ length: count }, (_, at) => at))
      return [near.length, more.length]
    }
    expect([folded(8), folded(9), folded(10), folded(35)]).toEqual([
      [8, 0],
      [9, 0],
      [8, 2],
      [8, 27],
    ])
  })

  it('names the packages of library frames once', () => {
    const names = [
      'node:internal/timers',
      '/a/node_modules/next/dist/x.js',
      '/a/node_modules/next/y.js',
      'lib/a.ts',
      null,
    ]
    const scoped = '/a/node_modules/.pnpm/x@1/node_modules/@sentry/core/z.js'
    expect(packagesOf([...names, scoped].map((filename) => ({ filename })))).toBe('node, next, @sentry/core')
  })
})

describe('a mapped frame', () => {
  const raw = { filename: 'a.js', function: 'a', line: 1, column: 110 }
  const frames = [sent('a', false, { column: 110 })]

  it('takes name, position and code from its source, and says where it was', () => {
    const code = [{ line: 12, text: 'throw error', ran: true }]
    const mapped = {
      result: 'mapped' as const,
      raw,
      inApp: true,
      source: 'app/pay.ts',
      path: '/home/me/app/pay.ts',
      line: 12,
      column: 3,
      function: 'pay',
      code,
      otherBuild: 'the script is newer than the event',
    }
    const [frame] = shownFrames({ frames }, { decodedMessage: null, frames: [mapped] })
    expect(frame).toMatchObject({
      function: 'pay',
      filename: 'app/pay.ts',
      line: 12,
      inApp: true,
      code,
      path: '/home/me/app/pay.ts',
      note: 'mapped from a.js:1:110',
      otherBuild: 'the script is newer than the event',
    })
  })

  it('keeps what was sent when no source was found, with the reason', () => {
    const lost = { result: 'not found' as const, raw, inApp: false, reason: 'no such file', lookedFor: ['/x/a.js.map'] }
    const [frame] = shownFrames({ frames }, { decodedMessage: null, frames: [lost] })
    expect(frame).toMatchObject({ filename: 'a.js', note: 'not mapped: no such file', lookedFor: ['/x/a.js.map'] })
  })
})

it('a message of 300 characters on six lines is not cut', () => {
  expect([clampMessage('x'.repeat(300)), clampMessage('a\nb\nc\nd\ne\nf'), clampMessage('')]).toEqual([
    null,
    null,
    null,
  ])
})

it('a longer message is cut between characters', () => {
  expect(clampMessage('x'.repeat(301))).toBe('x'.repeat(300))
  expect(clampMessage('a\nb\nc\nd\ne\nf\ng')).toBe('a\nb\nc\nd\ne\nf')
  expect(clampMessage('😀'.repeat(400))).toBe('😀'.repeat(300))
})

describe('the link to an editor', () => {
  const at = { path: '/app/src/a b.ts', line: 12, column: 3 }

  it('fills in path, line and column', () => {
    expect(editorHref('vscode://file/PATH:LINE:COL', '', at)).toBe('vscode://file/app/src/a%20b.ts:12:3')
    expect(editorHref('idea://open?file=PATH&line=LINE', '', at)).toBe('idea://open?file=/app/src/a%20b.ts&line=12')
    expect(editorHref('vscode://file/PATH:LINE:COL', '', { ...at, path: 'C:\\shop\\a.ts' })).toBe(
      'vscode://file/C:/shop/a.ts:12:3',
    )
  })

  it('replaces the folder of a container, and only that folder', () => {
    expect(editorHref('vscode://file/PATH', '/app=/home/me/shop', at)).toBe('vscode://file/home/me/shop/src/a%20b.ts')
    expect(editorHref('vscode://file/PATH', '/ap=/home/me/shop', at)).toBe('vscode://file/app/src/a%20b.ts')
  })

  it('a path cannot add a query, a fragment or another position', () => {
    expect(editorHref('vscode://file/PATH:LINE', '', { ...at, path: '/LINE?x#PATH' })).toBe(
      'vscode://file/LINE%3Fx%23PATH:12',
    )
  })

  it('refuses a script, a template without PATH, and a mapping without both folders', () => {
    expect(editorProblem('javascript:alert(1)//PATH')).toContain('got "javascript:alert(1)//PATH"')
    expect(editorHref('javascript:alert(1)//PATH', '', at)).toBeNull()
    expect(editorProblem('vscode://file')).toContain('must contain PATH')
    expect(editorProblem('vscode://file/PATH')).toBeNull()
    expect([mappingProblem(''), mappingProblem('/app=/x')]).toEqual([null, null])
    expect(mappingProblem('/app')).toContain('got "/app"')
  })
})
