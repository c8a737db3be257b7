import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CONTRACT } from '../../../../lib/contract/settings'
import { RULES } from '../../../../lib/verdict/rules/registry'
import { RULE_IDS } from '../../../../lib/verdict/rules/rule'
import { caseFrom } from './sample-evidence'

const FOLDER = new URL('../../../../lib/verdict/rules/', import.meta.url)
const ORDER = CONTRACT.map(({ id }) => id)

describe('the rule registry', () => {
  it('has unique ids', () => {
    const ids = RULES.map(({ id }) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  it('has a rule for each setting that is checked', () => {
    const judged = CONTRACT.filter(({ judgedFrom }) => judgedFrom.some((source) => source !== 'stated'))
    const without = judged.filter(({ id }) => RULES.every(({ setting }) => setting !== id))
    expect(without.map(({ id }) => id)).toEqual([])
  })

  it('has no rule for a stated or unknown setting', () => {
    const judged = CONTRACT.filter(({ judgedFrom }) => judgedFrom.some((source) => source !== 'stated'))
    const unexpected = RULES.filter(({ setting }) => setting !== null && judged.every(({ id }) => id !== setting))
    expect(unexpected.map(({ id }) => id)).toEqual([])
  })

  it('covers the evidence sources of each setting', () => {
    const missing = CONTRACT.flatMap(({ id, judgedFrom }) => {
      const sources = new Set(RULES.filter(({ setting }) => setting === id).flatMap((rule) => rule.judgedFrom))
      return judgedFrom
        .filter((source) => source !== 'stated' && !sources.has(source))
        .map((source) => `${id}: ${source}`)
    })
    expect(missing).toEqual([])
  })

  it('has the ids of RULE_IDS in their order', () => {
    expect(RULES.map(({ id }) => id)).toEqual(RULE_IDS)
  })

  it('lists rules of settings first, in their order', () => {
    const positions = RULES.map(({ setting }) => (setting === null ? ORDER.length : ORDER.indexOf(setting)))
    expect(positions).toEqual([...positions].sort((a, b) => a - b))
  })

  it('contains every rule file of its folder', () => {
    const written = readdirSync(FOLDER).flatMap((name) =>
      [...readFileSync(new URL(name, FOLDER), 'utf8').matchAll(/^export const (\w+Rule): Rule\b/gm)].map(
        ([, rule]) => rule,
      ),
    )
    const registry = readFileSync(new URL('registry.ts', FOLDER), 'utf8')
    expect(written.filter((rule) => !new RegExp(`^ {2}${rule},$`, 'm').test(registry))).toEqual([])
    expect(written).toHaveLength(RULES.length)
  })
})

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (_, rule) => {
  it('has an id, a title, a reason and a fix', () => {
    expect(rule.id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    expect(rule.title).toMatch(/^[A-Z0-9][^.]+$/)
    expect(rule.why).toMatch(/^[A-Z0-9].+\.$/)
    expect(rule.fix).toMatch(/^[A-Z0-9].+\.$/)
    expect(rule.judgedFrom).not.toEqual([])
  })

  it('is incomplete with a reason for empty evidence', () => {
    expect(rule.judge(caseFrom())).toEqual({ verdict: 'incomplete', why: expect.stringMatching(/^[A-Z0-9].+\.$/) })
  })
})
