import { describe, expect, it } from 'vitest'
import { importsOf } from './imports'
import { mask } from './mask'
import { sourceFiles, sourceOf } from './source-files'

const read = (source: string): readonly string[] =>
  importsOf(source).map(({ kind, specifier }) => `${kind} ${specifier}`)

/** The place in a template where code stands. */
const hole = (code: string): string => ['$', '{', code, '}'].join('')

describe('the imports of a source', () => {
  it.each([
    ['a name', "import { a } from './a'", ['value ./a']],
    ['several names over lines', "import {\n  a,\n  type B,\n} from './a'", ['value ./a']],
    ['a default', "import a from './a'", ['value ./a']],
    ['a default and names', "import a, { b as c } from './a'", ['value ./a']],
    ['everything', "import * as a from './a'", ['value ./a']],
    ['a side effect', "import './a.css'", ['value ./a.css']],
    ['types', "import type { A } from './a'", ['type ./a']],
    ['a default type', "import type A from './a'", ['type ./a']],
    ['a default that is called type', "import type from './a'", ['value ./a']],
    ['one name that is a type: the module is loaded', "import { type A } from './a'", ['value ./a']],
    ['double quotes', 'import { a } from "./a"', ['value ./a']],
    ['no semicolons and no line breaks', "import a from './a';import b from './b'", ['value ./a', 'value ./b']],
    ['names passed on', "export { a } from './a'", ['value ./a']],
    ['everything passed on', "export * from './a'\nexport * as b from './b'", ['value ./a', 'value ./b']],
    ['types passed on', "export type { A } from './a'", ['type ./a']],
    ['a call', "const a = await import('./a')", ['dynamic ./a']],
    ['a call in a call', "load(() => import('./a'))", ['dynamic ./a']],
    ['the type of a module', "let a: import('./a').A\nlet b: typeof import('./b')", ['type ./a', 'type ./b']],
    ['require', "const a = require('a')", ['dynamic a']],
    ['an import after a regular expression', "const a = /['\"`]/\nimport b from './b'", ['value ./b']],
    ['an import after a division', "const a = b / c\nimport d from './d' // '", ['value ./d']],
    [
      'an import after a template',
      ['const a = `', hole(["b ? `'", hole('c'), "` : '}'"].join('')), "'`\nimport d from './d'"].join(''),
      ['value ./d'],
    ],
    ["an import after an element's apostrophe", "const a = <p>It's here</p>\nimport d from './d'", ['value ./d']],
    ['an import call within a template', ['const a = `', hole("await import('./a')"), '`'].join(''), ['dynamic ./a']],
  ])('%s', (_name, source, expected) => {
    expect(read(source)).toEqual(expected)
  })

  it.each([
    ['in a line comment', "// import a from './a'"],
    ['in a comment', "/* import a from './a' */"],
    ['in a documentation comment', "/**\n * @type {import('./a').A}\n */"],
    ['in a string', 'const a = "import a from \'./a\'"'],
    ['in a template', "const a = `import a from './a'`"],
    ['in a longer name', "reimport('./a'); a.important('./b')"],
    ['of nothing', 'import.meta.url'],
    ['by a name that nobody knows yet', 'await import(file)'],
    ['of a local export', "export { a }\nconst from = './a'"],
  ])('are none %s', (_name, source) => {
    expect(read(source)).toEqual([])
  })

  it('are found in every file: nothing that begins a line as an import is overlooked', () => {
    for (const path of sourceFiles) {
      const source = sourceOf(path)
      const plain = [...source.matchAll(/^(?:import|export|\})\s?[^'"\n`]*from '([^']+)'$/gm)].map((match) => match[1])
      const found = importsOf(source).map((one) => one.specifier)
      expect(
        plain.filter((specifier) => specifier !== undefined && !found.includes(specifier)),
        path,
      ).toEqual([])
    }
  })
})

describe('masking', () => {
  it('leaves code alone', () => {
    const source = 'const a = b / c / d\nif (a < b) return { a }'
    expect(mask(source)).toEqual({ code: source, strings: [] })
  })

  it('keeps the text of strings beside the code', () => {
    expect(mask(`f('a\\'b', "c")`)).toEqual({ code: 'f(§0§, §1§)', strings: ["a\\'b", 'c'] })
  })
})
