import { describe, expect, it } from 'vitest'
import { evaluate } from '../../../../lib/verdict/expectations/evaluate'
import { readTestAllows, type TestAllows, writeTestAllows } from '../../../../lib/verdict/expectations/test-allows'
import { type Came, caseFrom, eventOf, TRACE } from '../rules/sample-evidence'

const OTHER = 'c'.repeat(32)
const inTrace = (trace: string) => ({ contexts: { trace: { trace_id: trace, span_id: 'b'.repeat(16) } } })
const allows = (facts: Partial<TestAllows> = {}): TestAllows => ({
  stamp: 'mine',
  traces: [],
  allow: [{ error: /boom/ }],
  ...facts,
})

describe('errors that tests allow, as lines for run', () => {
  it('are the same after JSON', () => {
    const written: TestAllows = {
      stamp: 'cart.spec.ts:12-1',
      traces: [TRACE],
      allow: [
        { error: 'declined', until: '2026-12-31', why: 'on purpose' },
        { error: /Boom/i },
        { error: { title: /a/, tags: { shop: 'x' }, exceptions: [{ type: /^Type/ }] } },
      ],
    }
    const json: unknown = JSON.parse(JSON.stringify(writeTestAllows(written)))
    expect(readTestAllows(json)).toEqual({ ok: true, value: written })
  })

  it('keep the newest 1000 traces', () => {
    const traces = Array.from({ length: 1_002 }, (_, index) => String(index))
    expect(writeTestAllows(allows({ traces })).traces).toEqual(traces.slice(2))
  })

  it.each<[string, unknown, string]>([
    ['without a stamp', { traces: [], allow: [] }, 'stamp: '],
    ['with an unknown field of the event', { stamp: 's', traces: [], allow: [{ error: { titel: 'x' } }] }, 'title'],
    ['with an empty text', { stamp: 's', traces: [], allow: [{ error: '' }] }, 'must not be an empty text'],
    ['without an error', { stamp: 's', traces: [], allow: [{ why: 'x' }] }, 'allow.0.error: '],
    ['with a broken pattern', { stamp: 's', traces: [], allow: [{ error: { regexp: '(', flags: '' } }] }, 'Invalid'],
  ])('are rejected %s', (_what, value, message) => {
    expect(readTestAllows(value)).toMatchObject({ ok: false, error: expect.stringContaining(message) })
  })
})

describe('an error that a test allows', () => {
  const verdictOn = (tests: readonly TestAllows[], ...came: readonly Came[]) => {
    const report = evaluate(caseFrom(...came), { losses: null, gaps: [], now: 0, tests })
    const errors = report.judged.filter(({ id }) => id === 'errors' || id === 'unhandled-errors')
    return { failing: errors.filter(({ verdict }) => verdict.verdict === 'fail').length, known: report.knownFailures }
  }

  it('is known to run, with the stamp of its test', () => {
    const stamped = { body: eventOf(), stamp: 'mine' }
    expect(verdictOn([], stamped).failing).toBe(1)
    expect(verdictOn([allows()], stamped)).toEqual({
      failing: 0,
      known: [{ id: 'errors', about: 'Error: boom', count: 1, by: 'the test with the stamp mine' }],
    })
  })

  it.each([
    ['of another test', { body: eventOf(), stamp: 'other' }],
    ['without stamp and trace of the test', { body: eventOf(inTrace(OTHER)), stamp: null }],
    [
      'that does not match',
      { body: eventOf({ exception: { values: [{ type: 'Error', value: 'x' }] } }), stamp: 'mine' },
    ],
  ])('does not allow one %s', (_what, came) => {
    expect(verdictOn([allows()], came).failing).toBeGreaterThan(0)
  })

  it('may be unstamped, in a trace of the test', () => {
    const server = { body: eventOf({ event_id: 'f'.repeat(32) }), stamp: null }
    const page = { body: eventOf(), stamp: 'mine' }
    expect(verdictOn([allows()], server).failing).toBe(1)
    expect(verdictOn([allows()], server, page).failing).toBe(0)
    expect(verdictOn([allows({ traces: [TRACE] })], server).failing).toBe(0)
  })

  it('fails after its last day', () => {
    const ended = allows({ allow: [{ error: /boom/, until: '1969-12-31' }] })
    expect(verdictOn([ended], { body: eventOf(), stamp: 'mine' }).failing).toBe(1)
  })
})
