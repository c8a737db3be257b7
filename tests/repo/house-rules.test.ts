import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mask } from './mask'
import { everyFile, ROOT, sourceFiles, sourceOf } from './source-files'

/** This file names what must not be named. */
const OTHERS = sourceFiles.filter((path) => path !== 'tests/repo/house-rules.test.ts')

describe('the top level', () => {
  const WANTED = ['app', 'collector', 'dashboards', 'lib', 'next.config.js', 'package.json', 'tests', 'tsconfig.json']
  const DEMANDED_BY_TOOLS = [
    '.ci',
    '.gitignore',
    'biome.json',
    'instrumentation-client.ts',
    'instrumentation.ts',
    'package-lock.json',
    'proxy.ts',
  ]
  const PAPERS = ['ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE', 'README.md', 'docs']
  /** Ignored by git: what tools and people leave behind. */
  const LEFT_BEHIND = ['.build', '.git', '.waystation', 'dist', 'next-env.d.ts', 'node_modules', 'test-results']
  const isLeftBehind = (name: string): boolean =>
    LEFT_BEHIND.includes(name) || /\.(?:tsbuildinfo|log)$|^\.env(?:\.|$)/.test(name)

  it('has what was asked for, what tools demand, the papers, and nothing else', () => {
    const allowed = [...WANTED, ...DEMANDED_BY_TOOLS, ...PAPERS]
    const strangers = readdirSync(ROOT).filter((name) => !allowed.includes(name) && !isLeftBehind(name))
    expect(strangers).toEqual([])
  })

  it('has everything that was asked for', () => {
    expect(WANTED.filter((name) => !readdirSync(ROOT).includes(name))).toEqual([])
  })
})

describe('a file', () => {
  it('is named for the question it answers, in small letters and hyphens', () => {
    const shelves = /^(?:utils?|helpers?|common|misc|types|constants|shared|lib|stuff)\.\w+$/
    const kebab = /^[a-z0-9]+(?:[.-][a-z0-9]+)*\.(?:d\.)?(?:ts|tsx|js|mjs|css)$/
    const misnamed = everyFile.filter((path) => shelves.test(basename(path)) || !kebab.test(basename(path)))
    expect(misnamed).toEqual([])
  })

  it('has at most 400 lines, or a reason to have more', () => {
    const REASONS: Readonly<Record<string, string>> = {}
    const long = everyFile.filter((path) => sourceOf(path).trimEnd().split('\n').length > 400)
    expect(
      long
        .filter((path) => REASONS[path] === undefined)
        .map((path) => `${path} is longer than 400 lines: split it, or give a reason here.`),
    ).toEqual([])
    expect(
      Object.keys(REASONS)
        .filter((path) => !long.includes(path))
        .map((path) => `${path} is not longer than 400 lines: remove its reason.`),
    ).toEqual([])
  })

  it('is exported by name; a default is for what a tool demands', () => {
    const demanded =
      /^(?:tests\/fixtures\/(?:own-next|sample)-app\/)?(?:app\/(?:.*\/)?(?:page|layout|error|global-error|not-found|default|loading|template)\.(?:tsx|js)|next\.config\.js)$|^tests\/(?:vitest|e2e\/playwright|e2e\/kit\/playwright|fixtures\/sample-app\/(?:vitest|playwright|waystation))\.config\.ts$/
    const defaults = sourceFiles.filter((path) => /\bexport\s+default\b/.test(mask(sourceOf(path)).code))
    expect(defaults.filter((path) => !demanded.test(path))).toEqual([])
  })
})

describe('a type', () => {
  it.each([
    ['any', /(?::|<|\bas|\|)\s*any\b(?!\s*[:(])|\bany\[\]/],
    ['a cast through unknown', /\bas\s+unknown\s+as\b/],
  ])('is never %s', (_name, pattern) => {
    expect(OTHERS.filter((path) => pattern.test(mask(sourceOf(path)).code))).toEqual([])
  })

  it('is never any in a comment that a checker reads', () => {
    expect(OTHERS.filter((path) => /@(?:type|param|returns?)\s*\{[^}\n]*\bany\b/.test(sourceOf(path)))).toEqual([])
  })

  it('is never silenced, and neither is the linter', () => {
    const silenced = /@ts-(?:ignore|expect-error|nocheck)|biome-ignore|eslint-disable/
    expect(OTHERS.filter((path) => silenced.test(sourceOf(path)))).toEqual([])
  })
})

describe('the text of the repository', () => {
  it.each([
    ['what is still to do', /\b(?:TODO|FIXME|XXX|HACK|WIP)\b/],
    ['what is not there', /not (?:yet )?implemented|coming soon|lorem ipsum/i],
    ['folders that are not in it', /\/work\/|\.\.\/shared\/(?:corpus|tools|hooks|\w+\.md)/],
  ])('never tells of %s', (_name, pattern) => {
    const telling = OTHERS.flatMap((path) =>
      sourceOf(path)
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    )
    expect(telling).toEqual([])
  })
})

describe('a test', () => {
  const tests = OTHERS.filter((path) => /\.(?:test|spec)\.tsx?$/.test(path))

  it('states a fact: no title says should', () => {
    const title = /\b(?:it|test|describe)(?:\.\w+)*\s*\(\s*(['"`])(?:(?!\1).)*\bshould\b/
    expect(tests.filter((path) => title.test(sourceOf(path)))).toEqual([])
  })

  it('is never left out, and never the only one', () => {
    expect(
      tests.filter((path) => /\b(?:it|test|describe)\.(?:only|skip|todo|fixme)\b/.test(mask(sourceOf(path)).code)),
    ).toEqual([])
  })
})
