import { expect, it } from 'vitest'
import { isReplaced, judgeDocument, judgeProse, judgeSource } from './plain-language.js'
import { documents, sourceFiles } from './sources.js'

const listed = (findings: ReturnType<typeof judgeSource>): readonly string[] =>
  findings.map(({ path, line, why }) => `${path}:${line}: ${why}`)

it('the language of the repository is plain in names, comments, titles and messages', () => {
  const judged = sourceFiles.filter((path) => !/^tests\/(?:repo|fixtures)\//.test(path))
  expect(listed(judged.flatMap(judgeSource))).toEqual([])
})

it('the language of the repository is plain in the documentation', () => {
  expect(listed(documents.flatMap(judgeDocument))).toEqual([])
})

it.each([
  ['a headless opening', 'Stores the body. What is left is deleted.'],
  ['a personified program', 'The collector is told when a page closes.'],
  ['an idiom', 'The rows are made anew.'],
])('the rules of plain language refuse %s', (_name, text) => {
  expect(judgeProse(text)).not.toBeNull()
})

it.each([
  ['ordinary words', 'The way back is behind the place where readers look.'],
  ['a question', 'What does it store?'],
  ['code', 'Returns `owed` of older folders.'],
])('the rules of plain language allow %s', (_name, text) => {
  expect(judgeProse(text)).toBeNull()
})

it.each(['doorOf', 'FATE', 'owedBytes', 'toldAt', 'stamp_books'])(
  'the rules of plain language refuse the name %s',
  (name) => {
    expect(isReplaced(name)).toBe(true)
  },
)

it.each(['indoors', 'lookup', 'bookshop', 'pendingBytes'])('the rules of plain language allow the name %s', (name) => {
  expect(isReplaced(name)).toBe(false)
})
