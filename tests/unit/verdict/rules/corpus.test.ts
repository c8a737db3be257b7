import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseRecord } from '../../../../lib/protocol/record'
import { judgeArrival } from '../../../../lib/verdict/arrival/judge-arrival'
import { countEvidence } from '../../../../lib/verdict/compare/count-evidence'
import { readEvidence } from '../../../../lib/verdict/evidence/read-evidence'
import { type CheckPlan, DEFAULT_PLAN } from '../../../../lib/verdict/expectations/check-plan'
import { evaluate } from '../../../../lib/verdict/expectations/evaluate'
import { RULES } from '../../../../lib/verdict/rules/registry'
import { valueIn } from '../../value-in'
import { observed, opened } from '../arrival/observed-test'
import { caseOf, decodeSubmission } from './sample-evidence'

const FOLDER = new URL('../../../fixtures/envelopes/', import.meta.url)
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.envelope'))

/** Envelopes of real SDKs that violate a rule, and the reason. */
const VIOLATIONS: readonly { readonly sent: string; readonly rule: string; readonly why: string }[] = [
  ...['browser-11.8-unhandled-error', 'server-11.8-component-error', 'server-7.80-route-error'].map((sent) => ({
    sent,
    rule: 'unhandled-errors',
    why: 'the demonstration app throws this error on purpose',
  })),
  ...['browser-11.8-feedback', 'browser-7.80-user-report'].map((sent) => ({
    sent,
    rule: 'privacy',
    why: 'the user entered a contact address into the feedback form, and the SDK sends it',
  })),
  {
    sent: 'browser-7.80-user-and-extra',
    rule: 'privacy',
    why: 'the demonstration app calls setUser with an address, and the SDK sends it',
  },
  {
    sent: 'browser-11-plain-pageload-spans',
    rule: 'names',
    why: 'SDK 11 names every streamed page load Pageload unless beforeStartSpan sets its path, which this app does not',
  },
  { sent: 'cli-2.58-event', rule: 'missing-release', why: 'sentry-cli sends a release only with --release' },
]

const read = (name: string) => {
  const body = readFileSync(new URL(name, FOLDER))
  const record = valueIn(parseRecord('tunnel', body))
  const sentAt = Date.parse(String(record.header.sent_at))
  // Some SDKs send no sent_at; the captures are from these days.
  return { body, receivedAt: Number.isNaN(sentAt) ? Date.UTC(2026, 10, 21) : sentAt + 20 }
}

const violationsOf = (name: string): readonly string[] => {
  const given = caseOf({ evidence: readEvidence([decodeSubmission(read(name))]) })
  return RULES.filter(({ judge }) => judge(given).verdict === 'fail').map(({ id }) => id)
}

describe('telemetry captured from real SDKs', () => {
  it.each(NAMES)('violates only the rules with a documented reason: %s', (name) => {
    const documented = VIOLATIONS.filter(({ sent }) => `${sent}.envelope` === name).map(({ rule }) => rule)
    expect([...violationsOf(name)].sort()).toEqual([...documented].sort())
  })

  it('passes the check of an app that follows the README, which names page loads as its SDK does', () => {
    const names = ['browser-11-plain-pageload-spans', 'browser-11.8-static-navigation', 'server-11.8-page-spans']
    const evidence = readEvidence(names.map((name, index) => decodeSubmission(read(`${name}.envelope`), index)))
    const verdictWith = (preset: CheckPlan['preset']) =>
      evaluate(caseOf({ evidence }), { losses: null, plan: { ...DEFAULT_PLAN, preset }, gaps: [], now: 0 }).verdict
    expect(verdictWith(null)).toBe('pass')
    expect(verdictWith('contract')).toBe('fail')
  })

  it('passes the check of a run with SDK 7, whose opened page has its pageload', () => {
    const names = ['browser-7.80-pageload', 'server-7.80-page']
    const evidence = readEvidence(names.map((name, index) => decodeSubmission(read(`${name}.envelope`), index)))
    const verdictAfter = (...paths: readonly string[]) => {
      const { judged, gaps } = judgeArrival({
        tests: [observed({ documents: opened(...paths) })],
        evidence,
        counts: countEvidence(evidence),
        profile: null,
        endedAt: 0,
        expected: {},
        browser: null,
      })
      return evaluate(caseOf({ evidence }), { losses: null, plan: DEFAULT_PLAN, gaps, now: 0, further: judged }).verdict
    }
    expect(verdictAfter('/')).toBe('pass')
    expect(verdictAfter('/', '/cart')).toBe('fail')
  })

  it('exists for each documented violation', () => {
    expect(VIOLATIONS.filter(({ sent }) => !NAMES.includes(`${sent}.envelope`))).toEqual([])
  })

  it('gives the same verdicts together as one by one', () => {
    const evidence = readEvidence(NAMES.map((name, index) => decodeSubmission(read(name), index)))
    const fails = RULES.filter(({ judge }) => judge(caseOf({ evidence })).verdict === 'fail').map(({ id }) => id)
    expect(new Set(fails)).toEqual(new Set(VIOLATIONS.map(({ rule }) => rule)))
  })

  it.each(RULES.map((rule) => [rule.id, rule] as const))(
    'contains data for %s, or the rule gives the reason why it is incomplete',
    (_, rule) => {
      const evidence = readEvidence(NAMES.map((name, index) => decodeSubmission(read(name), index)))
      const verdict = rule.judge(caseOf({ evidence }))
      if (verdict.verdict === 'incomplete') expect(verdict.why).toMatch(/^[A-Z0-9].+\.$/)
      else expect(verdict.judged).toBeGreaterThan(0)
    },
  )
})
