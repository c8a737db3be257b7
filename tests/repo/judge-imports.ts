import type { Use } from './figures.js'
import type { ImportRule } from './import-rules'

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

/** Whether this allowance covers this use. */
function allows(allowance: string, use: Use): boolean {
  if (allowance.startsWith('type ')) return use.kind === 'type' && covers(allowance.slice(5), use.target)
  return covers(allowance, use.target)
}

const covers = (allowed: string, target: string): boolean =>
  allowed === target || target.startsWith(allowed.endsWith(':') ? allowed : `${allowed}/`)

const isInside = (rule: ImportRule, target: string): boolean =>
  rule.folder === '.' ? target.startsWith('./') : holds(rule.folder, target)

/** Pure helpers without imports, for times, text and lists. Every file may import them, so no rule names them. */
const ALWAYS_ALLOWED: ReadonlySet<string> = new Set(['lib/time', 'lib/format', 'lib/group-by'])

/** Imports that no rule allows, each as a message: the file, the import, the rule, its reason. */
export function violations(uses: readonly Use[], rules: readonly ImportRule[]): readonly string[] {
  return uses.flatMap((use) => {
    const rule = ruleOf(use.file, rules)
    if (rule === undefined)
      return [`${use.file} is under no rule; add its folder to tests/repo/import-rules.ts with a reason.`]
    if (
      ALWAYS_ALLOWED.has(use.target) ||
      isInside(rule, use.target) ||
      rule.may.some((allowance) => allows(allowance, use))
    )
      return []
    const what = use.kind === 'type' ? `types of ${use.target}` : use.target
    return [`${use.file} imports ${what}; ${rule.folder} may import ${listed(rule.may)} (${rule.why})`]
  })
}

/** Rules without files and allowances without a use, each as a message. */
export function staleRules(
  uses: readonly Use[],
  files: readonly string[],
  rules: readonly ImportRule[],
): readonly string[] {
  return rules.flatMap((rule) => {
    if (!files.some((file) => ruleOf(file, rules) === rule))
      return [`no file is under the rule of ${rule.folder}; remove the rule`]
    const under = uses.filter((use) => ruleOf(use.file, rules) === rule && !isInside(rule, use.target))
    return rule.may
      .filter((allowance) => !under.some((use) => allows(allowance, use)))
      .map((allowance) => `${rule.folder} may import ${allowance}, but no file there does; remove it from the rule`)
  })
}

const listed = (may: readonly string[]): string => (may.length === 0 ? 'only itself' : `only ${may.join(', ')}`)
