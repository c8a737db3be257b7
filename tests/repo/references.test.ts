import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { documents, everyFile, lineAt, ROOT, sourceFiles, sourceOf, withoutExtension } from './sources.js'

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g
/** For example `lib/protocol`, `api/listen.ts` and `listen.ts`. */
const PATH =
  /(?<![\w./@<>*-])(?:(?:app|collector|dashboards|lib|tests|docs)\/[\w./-]*\w|(?:[\w-]+\/)*[\w-]+\.(?:tsx?|js))\b(?!\*)/g

/** Every end of every path: `collector/api/listen.ts`, `api/listen.ts`, `listen.ts`. */
const ends = new Set(everyFile.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(at).join('/'))))
const named = new Set(everyFile.map(withoutExtension))

const exists = (path: string): boolean => ends.has(path) || named.has(path) || existsSync(join(ROOT, path))

/** Products, built files, and a file of a reader. */
const NO_SOURCE = /^(?:Next|protobuf|main(?:-HASH)?|boards|app)\.js$/

/** Paths in a text that lead nowhere, each with its position. */
const lost = (text: string): readonly (readonly [path: string, at: number])[] =>
  [...text.matchAll(PATH)]
    .filter(([path]) => !exists(path) && !NO_SOURCE.test(path))
    .map(({ 0: path, index }) => [path, index] as const)

it('a path in a comment leads to a file', () => {
  const found = sourceFiles.flatMap((file) => {
    const source = sourceOf(file)
    return [...source.matchAll(COMMENT)].flatMap(({ 0: comment, index }) =>
      lost(comment).map(([path, at]) => `${file}:${lineAt(source, index + at)}: ${path} does not exist`),
    )
  })
  expect(found).toEqual([])
})

it('a path in the documentation leads to a file', () => {
  const found = documents.flatMap((file) =>
    lost(sourceOf(file)).map(([path, at]) => `${file}:${lineAt(sourceOf(file), at)}: ${path} does not exist`),
  )
  expect(found).toEqual([])
})

it.each(['lib/protocol/gone', 'collector/gone.ts', 'protocol/gone.ts', 'gone.tsx'])('a path %s is found', (path) => {
  expect(lost(`Defined in \`${path}\`, and elsewhere.`)).toEqual([[path, 12]])
})

it.each(['lib/protocol', 'lib/protocol/body', 'protocol/body.ts', 'body.ts', 'collector/launch/*.js'])(
  'a path %s exists',
  (path) => {
    expect(lost(`Defined in \`${path}\`.`)).toEqual([])
  },
)
