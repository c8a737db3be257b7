import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ANY, fragments, lonelyFolders, longFiles, usesOf } from './figures.js'
import { codeOf, everyFile, productFiles, ROOT, sourceFiles, sourceOf } from './sources.js'

/** This file contains the patterns that the rules refuse. */
const OTHERS = sourceFiles.filter((path) => path !== 'tests/repo/house-rules.test.ts')

/** Files over 400 lines, each with its reason. */
const LONG: Readonly<Record<string, string>> = {}
/** Files under 30 lines with one importer, each with its reason. */
const SHORT: Readonly<Record<string, string>> = {
  'app/board-navigation.tsx': 'boundary: a client component',
  'app/content-security-policy.ts': 'pure and tested; its importer is an entry file of Next',
  'app/lab/fail-on-server.ts': 'boundary: a server action',
  'app/lab/limit-notice.ts': 'pure and tested; its importer is a React component',
  'app/not-found-mark.tsx': 'boundary: a client component',
  'app/start-edge.ts': 'boundary: loaded only in the edge runtime',
  'app/start-server.ts': 'boundary: loaded only in the Node runtime',
  'lib/unminify/react-error.ts': 'a chunk of its own: the messages of React load with the first minified error',
  'lib/wire/board-modules.ts': 'only the collector reads it; in pages.ts every page would download it',
}

describe('the top level', () => {
  const PRODUCT = ['app', 'collector', 'dashboards', 'lib', 'next.config.js', 'package.json', 'tests', 'tsconfig.json']
  const TOOLS = [
    '.ci',
    '.gitignore',
    'biome.json',
    'instrumentation-client.ts',
    'instrumentation.ts',
    'proxy.ts',
    'waystation.config.ts',
  ]
  const DOCUMENTS = [
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'docs',
    'package-lock.json',
    'skills',
  ]
  /** Git ignores what tools and people leave here. */
  const IGNORED = ['.build', '.git', '.waystation', 'dist', 'next-env.d.ts', 'node_modules', 'test-results']
  const isIgnored = (name: string): boolean =>
    IGNORED.includes(name) || /\.(?:tsbuildinfo|log)$|^\.env(?:\.|$)/.test(name)

  it('has the product, the files that tools require, the documents, and nothing else', () => {
    const present = readdirSync(ROOT).filter((name) => !isIgnored(name))
    expect(present.sort()).toEqual([...PRODUCT, ...TOOLS, ...DOCUMENTS].sort())
  })
})

describe('a file', () => {
  it('has a name in kebab-case that answers a question', () => {
    const vague = /^(?:utils?|helpers?|common|misc|types|constants|shared|lib|stuff)\.\w+$/
    const kebab = /^[a-z0-9]+(?:[.-][a-z0-9]+)*\.(?:d\.)?(?:ts|tsx|js|mjs|css)$/
    expect(everyFile.filter((path) => vague.test(basename(path)) || !kebab.test(basename(path)))).toEqual([])
  })

  it.each([
    ['over 400 lines is listed with its reason, and no other is', longFiles(), LONG],
    [
      'under 30 lines with one importer is listed with its reason, and no other is',
      fragments(usesOf(productFiles)),
      SHORT,
    ],
  ])('%s', (_title, found, reasons) => {
    expect([...found].sort()).toEqual(Object.keys(reasons).sort())
  })

  it('has at most 24 others next to it in a folder of the collector', () => {
    const folders = new Map<string, number>()
    for (const path of productFiles.filter((one) => one.startsWith('collector/')))
      folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1)
    expect([...folders].filter(([, files]) => files > 25)).toEqual([])
    expect(folders.size).toBeGreaterThan(10)
  })

  it('is not alone in its folder', () => {
    expect(lonelyFolders()).toEqual([])
  })

  it('uses named exports; a default export is for a file whose tool requires one', () => {
    const required =
      /^(?:tests\/fixtures\/(?:own-next|sample|mutants|web)-app\/)?(?:app\/(?:.*\/)?(?:page|layout|error|global-error|not-found|default|loading|template)\.(?:tsx|js)|(?:next\.config\.js|waystation\.config\.ts))$|^tests\/(?:vitest|e2e\/playwright|e2e\/kit\/playwright|fixtures\/(?:sample|mutants|vite)-app\/(?:vitest|playwright|waystation))\.config\.ts$/
    const defaults = sourceFiles.filter((path) => /\bexport\s+default\b/.test(codeOf(path)))
    expect(defaults.filter((path) => !required.test(path))).toEqual([])
  })
})

it('a feature of one operating system is used only where the platform is compared', () => {
  const used = /['`]\/proc\b|\bsetPriority\(/
  const shipped = OTHERS.filter((path) => /^(?:app|collector|dashboards|lib)\//.test(path) && used.test(sourceOf(path)))
  expect(shipped.length).toBeGreaterThan(3)
  expect(shipped.filter((path) => !/platform [!=]== 'linux'/.test(sourceOf(path)))).toEqual([])
})

it.each([
  ['any', ANY],
  ['a cast through unknown', /\bas\s+unknown\s+as\b/],
])('a type is never %s', (_name, pattern) => {
  expect(OTHERS.filter((path) => pattern.test(codeOf(path)))).toEqual([])
})

it('a type is never any in a comment that the type checker reads', () => {
  expect(OTHERS.filter((path) => /@(?:type|param|returns?)\s*\{[^}\n]*\bany\b/.test(sourceOf(path)))).toEqual([])
})

it('a type is never silenced, and neither is the linter', () => {
  const silenced = /@ts-(?:ignore|expect-error|nocheck)|biome-ignore|eslint-disable/
  expect(OTHERS.filter((path) => silenced.test(sourceOf(path)))).toEqual([])
})

it.each([
  ['open tasks', /\b(?:TODO|FIXME|XXX|HACK|WIP)\b/],
  ['missing features', /not (?:yet )?implemented|coming soon|lorem ipsum/i],
  ['folders outside of it', /\/work\/|\.\.\/shared\/(?:corpus|tools|hooks|\w+\.md)/],
])('the text of the repository does not mention %s', (_name, pattern) => {
  const mentions = OTHERS.flatMap((path) =>
    sourceOf(path)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  )
  expect(mentions).toEqual([])
})

describe('a test', () => {
  const tests = OTHERS.filter((path) => /\.(?:test|spec)\.tsx?$/.test(path))

  it('has a title that states a fact, without should', () => {
    const title = /\b(?:it|test|describe)(?:\.\w+)*\s*\(\s*(['"`])(?:(?!\1).)*\bshould\b/
    expect(tests.filter((path) => title.test(sourceOf(path)))).toEqual([])
  })

  it('is never skipped, and never the only one that runs', () => {
    expect(tests.filter((path) => /\b(?:it|test|describe)\.(?:only|skip|todo|fixme)\b/.test(codeOf(path)))).toEqual([])
  })
})
