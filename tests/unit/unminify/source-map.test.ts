import { describe, expect, it } from 'vitest'
import { linkOf, readSourceMap } from '../../../lib/unminify/source-map'
import { bundledName, isLibrarySource } from '../../../lib/unminify/source-name'

describe('the link of a script', () => {
  it.each([
    ['a()\n//# sourceMappingURL=a.js.map\n', { file: 'a.js.map' }],
    ['a()\n//# sourceMappingURL=%5Broot%5D__a.js.map', { file: '[root]__a.js.map' }],
    ['a()\n//# sourceMappingURL=100%.js.map', { file: '100%.js.map' }],
    ['//# sourceMappingURL=old.map\na()\n//# sourceMappingURL=a.js.map', { file: 'a.js.map' }],
    ['a()\n//@ sourceMappingURL=a.js.map', { file: 'a.js.map' }],
    ['a()\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,e30=', { inline: '{}' }],
    ['a()\n//# sourceMappingURL=data:application/json,%7B%7D', { inline: '{}' }],
    ['a("//# sourceMappingURL=a.js.map")', null],
    ['a()', null],
  ])('is read from %j', (script, link) => {
    expect(linkOf(script)).toEqual(link)
  })
})

describe('a source map', () => {
  const section = (source: string, column: number) => ({
    offset: { line: 0, column },
    map: { version: 3, sources: [source], sourcesContent: [`// ${source}`], names: ['pay'], mappings: 'AAAAA' },
  })

  it('is read in sections', () => {
    const find = readSourceMap({ version: 3, sections: [section('a.ts', 0), section('b.ts', 100)] })
    expect(find?.(1, 101)).toEqual({ source: 'b.ts', line: 1, column: 1, name: 'pay', content: '// b.ts' })
    expect(find?.(1, 100)?.source).toBe('a.ts')
    expect(find?.(2, 1)).toBeNull()
  })

  it('names sources without percent-encoding', () => {
    const map = { version: 3, sources: ['../app/%5Bid%5D/page.tsx'], sourcesContent: ['// page'], mappings: 'AAAA' }
    expect(readSourceMap(map)?.(1, 1)).toMatchObject({ source: '../app/[id]/page.tsx', content: '// page' })
  })

  it.each(['', '{', '{"version":3}', '[]', '{"version":3,"sections":[{}]}'])(
    'is null when it is broken: %j',
    (text) => {
      expect(readSourceMap(text)).toBeNull()
    },
  )
})

it.each([
  ['webpack://shop/./app/page.tsx', 'app/page.tsx', false],
  ['turbopack:///[project]/app/page.tsx', 'app/page.tsx', false],
  ['turbopack:///[turbopack]/browser/runtime.ts', '[turbopack]/browser/runtime.ts', true],
  [
    'turbopack:///[project]/app/lab.tsx/__nextjs-internal-proxy.mjs { server => "[project]/app/lab.tsx" }',
    'app/lab.tsx/__nextjs-internal-proxy.mjs { server => "[project]/app/lab.tsx" }',
    true,
  ],
  ['webpack://shop/webpack/runtime/chunk', 'webpack/runtime/chunk', true],
  ['turbopack:///[project]/node_modules/react/index.js', 'node_modules/react/index.js', true],
  ['../../src/client/app-index.tsx', null, false],
  ['/srv/node_modules/next/dist/client/index.js', null, true],
])('a source is named after its file: %s', (source, name, isLibrary) => {
  expect(bundledName(source)).toBe(name)
  expect(isLibrarySource(source)).toBe(isLibrary)
})
