import { type Masked, mask } from './mask'

/**
 * One import of a file. `value` is there when the file runs, `dynamic` when somebody asks for it, `type` never: it is
 * gone before anything runs.
 */
export interface Import {
  readonly specifier: string
  readonly kind: 'value' | 'type' | 'dynamic'
}

const STATIC = /\b(?:import|export)\s+(type\s+(?!from\b))?(?:[\w$*{}\s,]*?)\s*\bfrom\s*§(\d+)§/g
const BARE = /\bimport\s*§(\d+)§/g
const CALL = /([:<|&]|\b(?:typeof|extends|as))?\s*\bimport\s*\(\s*§(\d+)§/g
const REQUIRE = /\brequire\s*\(\s*§(\d+)§/g

/**
 * Every import of a source. `import { type A }` counts as a value: with `verbatimModuleSyntax` the module is loaded
 * though nothing of it is used.
 */
export function importsOf(source: string): readonly Import[] {
  const masked = mask(source)
  return [
    ...find(masked, STATIC, 2, (match) => (match[1] === undefined ? 'value' : 'type')),
    ...find(masked, BARE, 1, () => 'value'),
    ...find(masked, CALL, 2, (match) => (match[1] === undefined ? 'dynamic' : 'type')),
    ...find(masked, REQUIRE, 1, () => 'dynamic'),
  ]
}

function find(
  { code, strings }: Masked,
  pattern: RegExp,
  group: number,
  kindOf: (match: RegExpMatchArray) => Import['kind'],
): readonly Import[] {
  return [...code.matchAll(pattern)].map((match) => ({
    specifier: strings[Number(match[group])] ?? '',
    kind: kindOf(match),
  }))
}
