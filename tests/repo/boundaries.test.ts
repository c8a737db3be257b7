import { describe, expect, it } from 'vitest'
import { IMPORT_RULES, type ImportRule } from './import-rules'
import { importsOf } from './imports'
import { cycles, staleRules, type Use, usesOf, violations } from './judge-imports'
import { mask } from './mask'
import { productFiles, resolveImport, sourceOf } from './source-files'

const uses = usesOf(productFiles)

describe('the imports of the product', () => {
  it('are those that the rules allow', () => {
    expect(violations(uses, IMPORT_RULES)).toEqual([])
  })

  it('need every rule and every allowance in it', () => {
    expect(staleRules(uses, productFiles, IMPORT_RULES)).toEqual([])
  })

  it('make no ring: nothing needs itself to be there first', () => {
    expect(cycles(uses).map((ring) => ring.join(' → '))).toEqual([])
  })

  it('lead to files that exist', () => {
    const lost = productFiles.flatMap((file) =>
      importsOf(sourceOf(file))
        .filter(({ specifier }) => resolveImport(file, specifier) === null)
        .map(({ specifier }) => `${file} imports ${specifier}, and nothing is there.`),
    )
    expect(lost).toEqual([])
  })

  it('never lead to a test', () => {
    expect(uses.filter(({ target }) => target.startsWith('tests/'))).toEqual([])
  })
})

describe('the database', () => {
  it('is opened only by collector/spool and collector/index', () => {
    const drivers = new Set(['better-sqlite3', 'node:sqlite'])
    const elsewhere = uses.filter(
      ({ file, target, kind }) => kind !== 'type' && drivers.has(target) && !/^collector\/(?:spool|index)\//.test(file),
    )
    expect(elsewhere).toEqual([])
    expect(uses.some(({ target, kind }) => kind === 'value' && drivers.has(target))).toBe(true)
  })
})

describe('zod', () => {
  it('is imported as a whole: by its one name a bundle has all of it, half a megabyte in each thread', () => {
    const named = /\bimport\s+(?:type\s*)?\{[^}]*\bz\b[^}]*\}\s*from\s*'zod'/
    expect(productFiles.filter((file) => named.test(sourceOf(file)))).toEqual([])
  })
})

describe('an SDK', () => {
  it('is started only in lib/sdk', () => {
    const starting = productFiles.filter((file) => /\bSentry\.init\s*\(/.test(codeOf(file)))
    expect(starting.filter((file) => !file.startsWith('lib/sdk/'))).toEqual([])
    expect(starting.length).toBeGreaterThan(0)
  })
})

describe('a pure module', () => {
  it.each(['lib/protocol', 'lib/scrub', 'lib/contract', 'lib/verdict'])(
    'of %s asks no clock, no chance and no network',
    (folder) => {
      const impure =
        /\bDate\.now\b|\bnew Date\s*\(\s*\)|\bMath\.random\b|\bperformance\b|\bprocess\b|\bfetch\s*\(|\bsetTimeout\b|\bsetInterval\b|\bcrypto\b/
      expect(productFiles.filter((file) => file.startsWith(`${folder}/`) && impure.test(codeOf(file)))).toEqual([])
    },
  )
})

describe('the first command', () => {
  it.each([
    ['launch/start.js', 'launch/command.js'],
    ['cli/waystation.js', 'cli/waystation-command.js'],
  ])('%s runs before anything is installed: what %s loads at once is Node and itself', (first, command) => {
    const loaded = new Set<string>()
    const open = [`collector/${command}`]
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (loaded.has(file)) continue
      loaded.add(file)
      if (!/^collector\/(?:cli|launch)\//.test(file) || !file.endsWith('.js')) continue
      for (const { specifier, kind } of importsOf(sourceOf(file))) {
        if (kind === 'value') open.push(resolveImport(file, specifier) ?? specifier)
      }
    }
    expect(
      [...loaded].filter((one) => !one.startsWith('node:') && !/^collector\/(?:cli|launch)\/[\w-]+\.js$/.test(one)),
    ).toEqual([])
    expect(importsOf(sourceOf(`collector/${first}`))).toEqual([])
  })
})

describe('the judge of imports', () => {
  const rules: readonly ImportRule[] = [
    { folder: 'lib/a', may: [], why: 'it knows nobody' },
    { folder: 'lib/b', may: ['lib/a', 'type lib/c', 'zod', 'node:'], why: 'it is small' },
    { folder: 'lib/*', may: ['lib'], why: 'it composes' },
    { folder: '.', may: ['lib'], why: 'tools look there' },
  ]
  const use = (file: string, target: string, kind: Use['kind'] = 'value'): Use => ({ file, target, kind })

  it.each([
    ['its own folder', use('lib/a/x.ts', 'lib/a/y')],
    ['a folder below its own', use('lib/a/x.ts', 'lib/a/deep/y')],
    ['what it may', use('lib/b/x.ts', 'lib/a/y')],
    ['a type that it may', use('lib/b/x.ts', 'lib/c/y', 'type')],
    ['a package and what is in it', use('lib/b/x.ts', 'zod/mini')],
    ['any module of Node', use('lib/b/x.ts', 'node:fs/promises')],
    ['anything, at a composition root', use('lib/main.ts', 'lib/b/y')],
    ['a neighbour at the root', use('proxy.ts', './instrumentation')],
  ])('lets a file import %s', (_name, one) => {
    expect(violations([one], rules)).toEqual([])
  })

  it.each([
    [
      'another folder',
      use('lib/a/x.ts', 'lib/b/y'),
      'lib/a/x.ts imports lib/b/y, but lib/a may import nothing beyond itself, for it knows nobody.',
    ],
    [
      'a value where types are allowed',
      use('lib/b/x.ts', 'lib/c/y'),
      'lib/b/x.ts imports lib/c/y, but lib/b may import only lib/a, type lib/c, zod, node:, for it is small.',
    ],
    [
      'a type that is not allowed',
      use('lib/a/x.ts', 'lib/c/y', 'type'),
      'lib/a/x.ts imports types of lib/c/y, but lib/a may import nothing beyond itself, for it knows nobody.',
    ],
    [
      'a folder that begins alike',
      use('lib/b/x.ts', 'lib/abc/y'),
      'lib/b/x.ts imports lib/abc/y, but lib/b may import only lib/a, type lib/c, zod, node:, for it is small.',
    ],
    [
      'a package at the root',
      use('proxy.ts', 'hono'),
      'proxy.ts imports hono, but . may import only lib, for tools look there.',
    ],
    [
      'anything, from a folder without a rule',
      use('new/x.ts', 'zod'),
      'new/x.ts is under no rule: add its folder to tests/repo/import-rules.ts with a reason.',
    ],
  ])('names a file that imports %s', (_name, one, sentence) => {
    expect(violations([one], rules)).toEqual([sentence])
  })

  it('names a rule without files and an allowance without use', () => {
    const files = ['lib/b/x.ts', 'lib/main.ts', 'proxy.ts']
    const used = [
      use('lib/b/x.ts', 'lib/a/y'),
      use('lib/b/x.ts', 'lib/c/y'),
      use('lib/b/x.ts', 'node:fs'),
      use('lib/main.ts', 'lib/b/x'),
      use('proxy.ts', 'lib/b/x'),
    ]
    expect(staleRules(used, files, rules)).toEqual([
      'the rule of lib/a is stale: no file is under it.',
      'lib/b may import type lib/c, which nothing there does: take it out of the rule.',
      'lib/b may import zod, which nothing there does: take it out of the rule.',
    ])
  })

  it('finds a ring of values, and none that a type closes', () => {
    const ring = [use('x/a.ts', 'x/b'), use('x/b.ts', 'x/c'), use('x/c.ts', 'x/a'), use('x/d.ts', 'x/a')]
    expect(cycles(ring)).toEqual([['x/a', 'x/b', 'x/c', 'x/a']])
    expect(cycles([use('x/a.ts', 'x/b'), use('x/b.ts', 'x/a', 'type')])).toEqual([])
    expect(cycles([use('x/a.ts', 'x/b'), use('x/b.ts', 'x/a', 'dynamic')])).toEqual([])
  })
})

/** Code without comments, strings and templates. */
function codeOf(file: string): string {
  return mask(sourceOf(file)).code
}
