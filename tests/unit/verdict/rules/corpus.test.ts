import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseRecord } from '../../../../lib/protocol/record'
import { readEvidence } from '../../../../lib/verdict/evidence/read-evidence'
import { RULES } from '../../../../lib/verdict/rules/registry'
import { caseOf, decodeSubmission } from './sample-evidence'

const FOLDER = new URL('../../../fixtures/envelopes/', import.meta.url)
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.envelope'))

/** Envelopes of real SDKs that violate a rule, and the reason. */
const BROKEN: readonly { readonly sent: string; readonly rule: string; readonly why: string }[] = [
  ...['browser-11.8-unhandled-error', 'server-11.8-component-error', 'server-7.80-route-error'].map((sent) => ({
    sent,
    rule: 'unhandled-errors',
    why: 'the demonstration threw it, to be seen',
  })),
  ...['browser-11.8-feedback', 'browser-7.80-user-report'].map((sent) => ({
    sent,
    rule: 'privacy',
    why: 'a person wrote how to be reached into the form, and it goes to Sentry with what they wrote',
  })),
  {
    sent: 'browser-7.80-user-and-extra',
    rule: 'privacy',
    why: 'the demonstration calls setUser with an address, and the SDK sends what it is given',
  },
  {
    sent: 'browser-11-plain-pageload-spans',
    rule: 'names',
    why: 'SDK 11 calls every streamed page load Pageload; its path is given to it by beforeStartSpan, which this program does not set',
  },
  { sent: 'cli-2.58-event', rule: 'missing-release', why: 'sentry-cli names a release where its --release is given' },
]

const read = (name: string) => {
  const body = readFileSync(new URL(name, FOLDER))
  const framed = parseRecord('tunnel', body)
  if (!framed.ok) throw new Error(`${name} is no envelope: ${framed.error.message}`)
  const sentAt = Date.parse(String(framed.value.header.sent_at))
  // Some SDKs send no sent_at; the captures are from these days.
  return { body, receivedAt: Number.isNaN(sentAt) ? Date.UTC(2026, 10, 21) : sentAt + 20 }
}

const breaksOf = (name: string): readonly string[] => {
  const given = caseOf({ evidence: readEvidence([decodeSubmission(read(name))]) })
  return RULES.filter(({ judge }) => judge(given).verdict === 'fail').map(({ id }) => id)
}

describe('telemetry captured from real SDKs', () => {
  it.each(NAMES)('violates only the rules with a documented reason: %s', (name) => {
    const messages = BROKEN.filter(({ sent }) => `${sent}.envelope` === name).map(({ rule }) => rule)
    expect([...breaksOf(name)].sort()).toEqual([...messages].sort())
  })

  it('exists for each documented violation', () => {
    expect(BROKEN.filter(({ sent }) => !NAMES.includes(`${sent}.envelope`))).toEqual([])
  })

  it('gives the same verdicts together as one by one', () => {
    const evidence = readEvidence(NAMES.map((name, index) => decodeSubmission(read(name), index)))
    const fails = RULES.filter(({ judge }) => judge(caseOf({ evidence })).verdict === 'fail').map(({ id }) => id)
    expect(new Set(fails)).toEqual(new Set(BROKEN.map(({ rule }) => rule)))
  })

  it.each(RULES.map((rule) => [rule.id, rule] as const))('is enough for %s, or it says what it lacks', (_, rule) => {
    const evidence = readEvidence(NAMES.map((name, index) => decodeSubmission(read(name), index)))
    const verdict = rule.judge(caseOf({ evidence }))
    if (verdict.verdict === 'incomplete') expect(verdict.why).toMatch(/^[A-Z0-9].+\.$/)
    else expect(verdict.judged).toBeGreaterThan(0)
  })
})
