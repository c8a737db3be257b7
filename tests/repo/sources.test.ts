import { expect, it } from 'vitest'
import { importsOf, parse } from './sources.js'

const read = (source: string): readonly string[] =>
  importsOf(parse(source)).map(({ kind, specifier }) => `${kind} ${specifier}`)

it.each([
  ['names', "import {\n  a,\n  type B,\n} from './a'", ['value ./a']],
  ['a default and names', "import a, { b as c } from './a'", ['value ./a']],
  ['a namespace', "import * as a from './a'", ['value ./a']],
  ['a side effect', "import './a.css'", ['value ./a.css']],
  ['types', "import type { A } from './a'", ['type ./a']],
  ['a default with the name type', "import type from './a'", ['value ./a']],
  ['one name that is a type: the module is loaded', "import { type A } from './a'", ['value ./a']],
  ['re-exports', "export { a } from './a'\nexport * from './b'", ['value ./a', 'value ./b']],
  ['re-exported types', "export type { A } from './a'", ['type ./a']],
  ['a dynamic import', "load(() => import('./a'))", ['dynamic ./a']],
  ['the type of a module', "let a: import('./a').A\nlet b: typeof import('./b')", ['type ./a', 'type ./b']],
  ['require', "const a = require('a')", ['dynamic a']],
  ['comments, strings and templates hold none', "// import a from './a'\nconst b = `import('./b')`", []],
])('the imports of a source %s', (_name, source, expected) => {
  expect(read(source)).toEqual(expected)
})

it('the imports of a source are refused with the path where the source does not parse', () => {
  expect(() => parse('const = 1', 'x.ts')).toThrow(/^x\.ts: /)
})
