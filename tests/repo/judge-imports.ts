import type { ImportRule } from './import-rules'
import { importsOf } from './imports'
import { resolveImport, sourceOf, withoutExtension } from './source-files'

/** One import as the rules see it. */
export interface Use {
  readonly file: string
  /** A module as `moduleName` names it, or a package. */
  readonly target: string
  readonly kind: 'value' | 'type' | 'dynamic'
}

/** Every import of some files; style sheets are no modules. */
export const usesOf = (files: readonly string[]): readonly Use[] =>
  files.flatMap((file) =>
    importsOf(sourceOf(file))
      .filter((one) => !one.specifier.endsWith('.css'))
      .map(({ specifier, kind }) => ({ file, kind, target: targetOf(file, specifier) })),
  )

function targetOf(file: string, specifier: string): string {
  const path = resolveImport(file, specifier)
  return path === null || !specifier.startsWith('.') ? specifier : moduleName(path)
}

/** A path from the root without its extension; `./` before a file of the root, which else were a package's name. */
function moduleName(path: string): string {
  const name = withoutExtension(path)
  return name.includes('/') ? name : `./${name}`
}

/** The rule a file is under: the longest folder that holds it. */
function ruleOf(file: string, rules: readonly ImportRule[]): ImportRule | undefined {
  return [...rules].sort((a, b) => b.folder.length - a.folder.length).find((rule) => holds(rule.folder, file))
}

function holds(folder: string, file: string): boolean {
  if (folder === '.') return !file.includes('/')
  if (!folder.endsWith('/*')) return file.startsWith(`${folder}/`)
  const inside = folder.slice(0, -1)
  return file.startsWith(inside) && !file.slice(inside.length).includes('/')
}

/** Does this allowance cover this use? */
function allows(allowance: string, use: Use): boolean {
  if (allowance.startsWith('type ')) return use.kind === 'type' && covers(allowance.slice(5), use.target)
  return covers(allowance, use.target)
}

const covers = (allowed: string, target: string): boolean =>
  allowed === target || target.startsWith(allowed.endsWith(':') ? allowed : `${allowed}/`)

const isInside = (rule: ImportRule, target: string): boolean =>
  rule.folder === '.' ? target.startsWith('./') : holds(rule.folder, target)

/** Pure helpers without imports, for times and for text. Every file may import them, so no rule names them. */
const ALWAYS_ALLOWED: ReadonlySet<string> = new Set(['lib/time', 'lib/format'])

/** Uses that no rule allows, each as a sentence: the file, what it imports, the rule, its reason. */
export function violations(uses: readonly Use[], rules: readonly ImportRule[]): readonly string[] {
  return uses.flatMap((use) => {
    const rule = ruleOf(use.file, rules)
    if (rule === undefined)
      return [`${use.file} is under no rule: add its folder to tests/repo/import-rules.ts with a reason.`]
    if (
      ALWAYS_ALLOWED.has(use.target) ||
      isInside(rule, use.target) ||
      rule.may.some((allowance) => allows(allowance, use))
    )
      return []
    const what = use.kind === 'type' ? `types of ${use.target}` : use.target
    return [`${use.file} imports ${what}, but ${rule.folder} may import ${listed(rule.may)}, for ${rule.why}.`]
  })
}

/** Rules and allowances that nothing needs any more, each as a sentence. */
export function staleRules(
  uses: readonly Use[],
  files: readonly string[],
  rules: readonly ImportRule[],
): readonly string[] {
  return rules.flatMap((rule) => {
    if (!files.some((file) => ruleOf(file, rules) === rule))
      return [`the rule of ${rule.folder} is stale: no file is under it.`]
    const under = uses.filter((use) => ruleOf(use.file, rules) === rule && !isInside(rule, use.target))
    return rule.may
      .filter((allowance) => !under.some((use) => allows(allowance, use)))
      .map((allowance) => `${rule.folder} may import ${allowance}, which nothing there does: take it out of the rule.`)
  })
}

const listed = (may: readonly string[]): string =>
  may.length === 0 ? 'nothing beyond itself' : `only ${may.join(', ')}`

/** Rings of files that import each other's values, each from its first file round to it again. */
export function cycles(uses: readonly Use[]): readonly (readonly string[])[] {
  const next = new Map<string, string[]>()
  for (const { file, target, kind } of uses) {
    if (kind !== 'value') continue
    const from = moduleName(file)
    next.set(from, [...(next.get(from) ?? []), target])
  }
  const done = new Set<string>()
  const found: string[][] = []
  const walk = (file: string, path: readonly string[]): void => {
    const seen = path.indexOf(file)
    if (seen >= 0) found.push([...path.slice(seen), file])
    if (seen >= 0 || done.has(file)) return
    for (const target of next.get(file) ?? []) walk(target, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) walk(file, [])
  return found
}
