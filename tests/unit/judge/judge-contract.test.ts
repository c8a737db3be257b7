import { describe, expect, it } from 'vitest'
import { judgeContract } from '../../../collector/judge/judge-contract'
import { CONTRACT } from '../../../lib/contract/settings'
import { readEvidence } from '../../../lib/verdict/evidence/read-evidence'
import { RULES } from '../../../lib/verdict/rules/registry'
import type { Case, Rule } from '../../../lib/verdict/rules/rule'
import { type Verdict, verdictOf } from '../../../lib/verdict/verdict'
import { contractSchema } from '../../../lib/wire/contract'

const NOTHING: Case = {
  evidence: readEvidence([]),
  requests: null,
  fallbacks: null,
  pageLimits: { pages: [], unnamed: 0 },
  collectorUrl: null,
}

const rule = (id: string, setting: string | null, judge: Rule['judge']): Rule => ({
  id: id as Rule['id'],
  title: id,
  why: 'it matters',
  setting,
  judgedFrom: ['telemetry'],
  severity: 'error',
  fix: 'mend it',
  judge,
})
const PASS: Verdict = { verdict: 'pass', judged: 3 }
const judged = (id: string, verdict: Verdict) => ({
  id: id as Rule['id'],
  title: id,
  why: 'it matters',
  fix: 'mend it',
  severity: 'error',
  verdict,
})

describe('the judged contract', () => {
  it('lists every setting in order with its rules, then the rules without a setting', () => {
    const fail: Verdict = {
      verdict: 'fail',
      judged: 2,
      found: 1,
      findings: [{ about: 'an event', at: { seq: 1, item: 0 }, path: 'breadcrumbs', actual: '101', expected: '100' }],
    }
    const rules = [
      rule('breadcrumbs', 'breadcrumbs', () => PASS),
      rule('breadcrumbs-too', 'breadcrumbs', () => fail),
      rule('beyond', null, () => PASS),
    ]
    const { settings, beyond } = judgeContract(NOTHING, rules, { tunnel: () => 'it was seen' })
    expect(settings.map(({ id }) => id)).toEqual(CONTRACT.map(({ id }) => id))
    expect(settings.find(({ id }) => id === 'breadcrumbs')?.rules).toEqual([
      judged('breadcrumbs', PASS),
      judged('breadcrumbs-too', fail),
    ])
    expect(settings.find(({ id }) => id === 'tunnel')).toMatchObject({ rules: [], observed: 'it was seen' })
    expect(beyond).toEqual([judged('beyond', PASS)])
  })

  it('has the first 50 findings of each rule', () => {
    const finding = { about: 'an event', at: null, path: '', actual: 'x', expected: 'y' }
    const crowd = verdictOf(
      60,
      Array.from({ length: 60 }, () => finding),
      '',
    )
    const { beyond } = judgeContract(NOTHING, [rule('beyond', null, () => crowd)], {})
    expect(beyond[0]?.verdict).toMatchObject({ found: 60, findings: { length: 50 } })
  })

  it('names a rule that throws', () => {
    const broken = rule('broken', null, () => {
      throw new TypeError('x is not a function')
    })
    expect(() => judgeContract(NOTHING, [broken])).toThrow('the rule broken failed: x is not a function')
  })

  it('never passes when nothing was recorded, and matches the wire schema', () => {
    const judged = judgeContract(NOTHING)
    const rules = [...judged.settings.flatMap((setting) => setting.rules), ...judged.beyond]
    expect(rules.map(({ id, verdict }) => [id, verdict.verdict])).toEqual(rules.map(({ id }) => [id, 'incomplete']))
    expect(rules.map(({ id }) => id).toSorted()).toEqual(RULES.map(({ id }) => id).toSorted())
    const from = { submissions: 0, items: 0, first: null, last: null, isPart: false, damaged: [] }
    const answer = { stamp: null, after: 0, from, ...judged }
    expect(contractSchema.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer)
  })
})
