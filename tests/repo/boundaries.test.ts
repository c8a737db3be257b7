import { describe, expect, it } from 'vitest'
import { cycles, type Use, usesOf } from './figures.js'
import { IMPORT_RULES, type ImportRule } from './import-rules'
import { staleRules, violations } from './judge-imports'
import { codeOf, importsOf, productFiles, resolveImport, sourceOf, treeOf } from './sources.js'

const uses = usesOf(productFiles)

describe('imports of the product', () => {
  it('follow the rules', () => {
    expect(violations(uses, IMPORT_RULES)).toEqual([])
  })

  it('use every rule and every allowance', () => {
    expect(staleRules(uses, productFiles, IMPORT_RULES)).toEqual([])
  })

  it('have no cycles', () => {
    expect(cycles(uses).map((cycle) => cycle.join(' → '))).toEqual([])
  })

  it('lead to files that exist', () => {
    const lost = productFiles.flatMap((file) =>
      importsOf(treeOf(file))
        .filter(({ specifier }) => resolveImport(file, specifier) === null)
        .map(({ specifier }) => `${file} imports ${specifier}, which does not exist`),
    )
    expect(lost).toEqual([])
  })

  it('never lead to a test', () => {
    expect(uses.filter(({ target }) => target.startsWith('tests/'))).toEqual([])
  })
})

it('the database driver is imported only by the folders that open a database', () => {
  const drivers = new Set(['better-sqlite3', 'node:sqlite'])
  const elsewhere = uses.filter(
    ({ file, target, kind }) =>
      kind !== 'type' && drivers.has(target) && !/^collector\/(?:runtime|spool|index)\//.test(file),
  )
  expect(elsewhere).toEqual([])
  expect(uses.some(({ target, kind }) => kind === 'value' && drivers.has(target))).toBe(true)
})

it('the protobuf library is not reached by imports of a board or of code that a browser downloads', () => {
  const reached = new Set(productFiles.filter((file) => /^(?:dashboards\/|instrumentation-client)/.test(file)))
  for (const file of reached)
    for (const use of uses)
      if (use.file === file && use.kind !== 'type')
        for (const path of [use.target, `${use.target}.ts`, `${use.target}.tsx`])
          if (productFiles.includes(path)) reached.add(path)
  expect([...reached].filter((file) => file.startsWith('lib/otlp/'))).toEqual([])
  expect([...reached].some((file) => file.startsWith('lib/protocol/'))).toBe(true)
})

it('the scrubber is imported by set-ups of SDKs only when a page first sends', () => {
  const scrubbing = uses.filter(({ file, target }) => file.startsWith('lib/sdk/') && target.startsWith('lib/scrub/'))
  expect(scrubbing).toEqual([
    { file: 'lib/sdk/visitor-transport.ts', target: 'lib/scrub/sdk-envelope', kind: 'dynamic' },
  ])
})

it('zod is imported as a namespace: its named export costs each thread half a megabyte of bundle', () => {
  const named = /\bimport\s+(?:type\s*)?\{[^}]*\bz\b[^}]*\}\s*from\s*'zod'/
  expect(productFiles.filter((file) => named.test(sourceOf(file)))).toEqual([])
})

it('an SDK is started only in lib/sdk', () => {
  const starting = productFiles.filter((file) => /\bSentry\.init\s*\(/.test(codeOf(file)))
  expect(starting.filter((file) => !file.startsWith('lib/sdk/'))).toEqual([])
  expect(starting.length).toBeGreaterThan(0)
})

it.each(['lib/protocol', 'lib/scrub', 'lib/contract', 'lib/verdict'])(
  'the pure folder %s uses no clock, no random numbers, no timers and no network',
  (folder) => {
    const impure =
      /\bDate\.now\b|\bnew Date\s*\(\s*\)|\bMath\.random\b|\bperformance\b|\bprocess\b|\bfetch\s*\(|\bsetTimeout\b|\bsetInterval\b|\bcrypto\b/
    expect(productFiles.filter((file) => file.startsWith(`${folder}/`) && impure.test(codeOf(file)))).toEqual([])
  },
)

it.each([
  ['launch/start.js', 'launch/command.js'],
  ['cli/waystation.js', 'cli/waystation-command.js'],
])('%s runs before anything is installed: %s loads only Node modules and its own files', (first, command) => {
  const loaded = new Set<string>()
  const open = [`collector/${command}`]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (loaded.has(file)) continue
    loaded.add(file)
    if (!/^collector\/(?:cli|launch)\//.test(file) || !file.endsWith('.js')) continue
    for (const { specifier, kind } of importsOf(treeOf(file))) {
      if (kind === 'value') open.push(resolveImport(file, specifier) ?? specifier)
    }
  }
  const others = [...loaded].filter(
    (one) => !one.startsWith('node:') && !/^collector\/(?:cli|launch)\/(?:build\/|test\/)?[\w-]+\.js$/.test(one),
  )
  expect(others).toEqual([])
  expect(importsOf(treeOf(`collector/${first}`))).toEqual([])
})

describe('the import rules', () => {
  const rules: readonly ImportRule[] = [
    { folder: 'lib/a', may: [], why: 'it is a leaf' },
    { folder: 'lib/b', may: ['lib/a', 'type lib/c', 'zod', 'node:'], why: 'it is small' },
    { folder: 'lib/*', may: ['lib'], why: 'it composes' },
    { folder: '.', may: ['lib'], why: 'tools read it' },
  ]
  const use = (file: string, target: string, kind: Use['kind'] = 'value'): Use => ({ file, target, kind })

  it.each([
    ['its own folder', use('lib/a/x.ts', 'lib/a/y')],
    ['a folder below its own', use('lib/a/x.ts', 'lib/a/deep/y')],
    ['an allowed folder', use('lib/b/x.ts', 'lib/a/y')],
    ['an allowed type', use('lib/b/x.ts', 'lib/c/y', 'type')],
    ['a package and its subpaths', use('lib/b/x.ts', 'zod/mini')],
    ['any module of Node', use('lib/b/x.ts', 'node:fs/promises')],
    ['any folder, at a composition root', use('lib/main.ts', 'lib/b/y')],
    ['a neighbour at the root', use('proxy.ts', './instrumentation')],
  ])('allow %s', (_name, one) => {
    expect(violations([one], rules)).toEqual([])
  })

  it.each([
    [
      'another folder',
      use('lib/a/x.ts', 'lib/b/y'),
      'lib/a/x.ts imports lib/b/y; lib/a may import only itself (it is a leaf)',
    ],
    [
      'a value where only types are allowed',
      use('lib/b/x.ts', 'lib/c/y'),
      'lib/b/x.ts imports lib/c/y; lib/b may import only lib/a, type lib/c, zod, node: (it is small)',
    ],
    [
      'a type that is not allowed',
      use('lib/a/x.ts', 'lib/c/y', 'type'),
      'lib/a/x.ts imports types of lib/c/y; lib/a may import only itself (it is a leaf)',
    ],
    [
      'a folder with the same prefix',
      use('lib/b/x.ts', 'lib/abc/y'),
      'lib/b/x.ts imports lib/abc/y; lib/b may import only lib/a, type lib/c, zod, node: (it is small)',
    ],
    ['a package at the root', use('proxy.ts', 'hono'), 'proxy.ts imports hono; . may import only lib (tools read it)'],
    [
      'anything, from a folder without a rule',
      use('new/x.ts', 'zod'),
      'new/x.ts is under no rule; add its folder to tests/repo/import-rules.ts with a reason.',
    ],
  ])('name a file that imports %s', (_name, one, message) => {
    expect(violations([one], rules)).toEqual([message])
  })

  it('name a rule without files and an allowance without a use', () => {
    const files = ['lib/b/x.ts', 'lib/main.ts', 'proxy.ts']
    const used = [
      use('lib/b/x.ts', 'lib/a/y'),
      use('lib/b/x.ts', 'lib/c/y'),
      use('lib/b/x.ts', 'node:fs'),
      use('lib/main.ts', 'lib/b/x'),
      use('proxy.ts', 'lib/b/x'),
    ]
    expect(staleRules(used, files, rules)).toEqual([
      'no file is under the rule of lib/a; remove the rule',
      'lib/b may import type lib/c, but no file there does; remove it from the rule',
      'lib/b may import zod, but no file there does; remove it from the rule',
    ])
  })

  it('find a cycle of values and types, and none that a dynamic import closes', () => {
    const ring = [use('x/a.ts', 'x/b'), use('x/b.ts', 'x/c'), use('x/c.ts', 'x/a'), use('x/d.ts', 'x/a')]
    expect(cycles(ring)).toEqual([['x/a', 'x/b', 'x/c', 'x/a']])
    expect(cycles([use('x/a.ts', 'x/b'), use('x/b.ts', 'x/a', 'type')])).toEqual([['x/a', 'x/b', 'x/a']])
    expect(cycles([use('x/a.ts', 'x/b'), use('x/b.ts', 'x/a', 'dynamic')])).toEqual([])
  })
})
