import { describe, expect, it } from 'vitest'
import { readEvidence } from '../../../../lib/verdict/evidence/read-evidence'
import type { CheckPlan } from '../../../../lib/verdict/expectations/check-plan'
import { type CollectorSnapshot, gapsOf, missingRanges } from '../../../../lib/verdict/expectations/gaps'
import { unhandledErrorsRule } from '../../../../lib/verdict/rules/unhandled-errors'
import {
  type Came,
  caseFrom,
  clientReportOf,
  decodeSubmission,
  drawn,
  envelopeOf,
  eventOf,
  transactionOf,
} from '../rules/sample-evidence'
import { report } from './sample-report'

const NOTHING = { records: 0, bytes: 0, byAge: 0, rowsOnly: 0, expired: 0, deadLetters: 0 }
const snapshot = (
  given: {
    startedAt?: number
    evicted?: number
    refused?: number
    refusals?: CollectorSnapshot['overview']['refusals']
  } = {},
): CollectorSnapshot => ({
  overview: { startedAt: given.startedAt ?? 1, refusals: given.refusals ?? [] },
  storage: { evicted: { ...NOTHING, records: given.evicted ?? 0 }, refused: given.refused ?? 0 },
})

const refusal = (reason: string, envelopes: number) => ({ reason, envelopes })

/** The gaps between two snapshots; without any sign of loss unless given. */
const gapsIn = (given: Partial<Parameters<typeof gapsOf>[0]>) =>
  gapsOf({ before: snapshot(), after: snapshot(), pages: [], ...given })

it('gaps of a record are none without any sign of loss', () => {
  expect(gapsIn({ pages: [{ damaged: [] }] })).toEqual([])
})

it('gaps of a record ignore losses before the window', () => {
  const then = snapshot({ evicted: 3, refused: 2, refusals: [refusal('bad_key', 4)] })
  expect(gapsIn({ before: then, after: then })).toEqual([])
})

it.each<[string, Parameters<typeof gapsIn>[0], string]>([
  [
    'the collector was restarted',
    { after: snapshot({ startedAt: 2 }) },
    'the collector was restarted; telemetry sent while it was down may be missing',
  ],
  [
    'envelopes were evicted',
    { before: snapshot({ evicted: 3 }), after: snapshot({ evicted: 4 }) },
    '1 envelope was evicted to free disk space; raise WAYSTATION_MAX_DISK',
  ],
  [
    'envelopes were evicted, without a snapshot before the window',
    { before: null, after: snapshot({ evicted: 4 }) },
    '4 envelopes were evicted to free disk space; raise WAYSTATION_MAX_DISK',
  ],
  [
    'envelopes were refused for disk space',
    { after: snapshot({ refused: 2 }) },
    '2 envelopes were refused because the disk budget was used up; raise WAYSTATION_MAX_DISK',
  ],
  [
    'envelopes were refused for disk space, without a snapshot before the window',
    { before: null, after: snapshot({ refused: 2 }) },
    '2 envelopes were refused because the disk budget was used up; raise WAYSTATION_MAX_DISK',
  ],
  [
    'the endpoint refused envelopes',
    {
      before: snapshot({ refusals: [refusal('bad_key', 1)] }),
      after: snapshot({ refusals: [refusal('bad_key', 3), refusal('too_large', 1)] }),
    },
    '3 envelopes were refused at the endpoint: 2 bad_key, 1 too_large',
  ],
  [
    'stored envelopes are damaged',
    { pages: [{ damaged: [4] }, { damaged: [9, 10] }] },
    '3 envelopes cannot be read: the bytes on disk are damaged',
  ],
  [
    'the oldest envelopes were not checked',
    { skipped: 1 },
    'the oldest 1 envelope was not checked, because there are too many',
  ],
])('gaps of a record report that %s', (_what, given, message) => {
  expect(gapsIn(given)).toEqual([message])
})

/** An item that shows that the path works, without spans. */
const SESSION = envelopeOf({}, [{ type: 'session' }, { sid: 'a'.repeat(32), status: 'ok' }])
const PAGE = transactionOf(drawn('pageload /  ==='))

const judge = (plan: Partial<CheckPlan>, ...came: readonly Came[]) => {
  const { verdict, reasons, judged } = report([unhandledErrorsRule], plan, {}, caseFrom(...came))
  return { verdict, reasons, judged: judged.map((one) => `${one.id} ${one.verdict.verdict}`) }
}

describe('discarded errors', () => {
  const HOOKED = clientReportOf(['before_send', 'error', 1])

  it('make checks about errors incomplete', () => {
    expect(judge({}, PAGE, HOOKED)).toEqual({
      verdict: 'incomplete',
      reasons: [
        "the required check errors is incomplete: 1 error was discarded by the SDK (before_send) and could not be checked; losses: { allow: ['before_send', …] } in the configuration allows that",
      ],
      judged: ['unhandled-errors incomplete', 'errors incomplete'],
    })
  })

  it('are reported with number and reasons', () => {
    const { reasons } = judge({}, PAGE, HOOKED, clientReportOf(['sample_rate', 'error', 3]))
    expect(reasons[0]).toContain(
      '4 errors were discarded by the SDK (before_send, sample_rate) and could not be checked',
    )
    expect(reasons[0]).toContain("losses: { allow: ['before_send', 'sample_rate', …] }")
  })

  it.each<[string, Partial<CheckPlan>, readonly Came[]]>([
    ['the plan allows their reason', { losses: { allow: ['before_send'] } }, [PAGE, HOOKED]],
    ['the plan ignores losses', { losses: 'ignore' }, [PAGE, HOOKED]],
    [
      'an event processor discarded them, such as the one against duplicates',
      {},
      [PAGE, clientReportOf(['event_processor', 'error', 2])],
    ],
    ['only logs were discarded', {}, [PAGE, clientReportOf(['before_send', 'log_item', 2])]],
  ])('are ignored if %s', (_what, plan, came) => {
    expect(judge(plan, ...came).verdict).toBe('pass')
  })

  it('with the reason network_error count only if no error arrived', () => {
    const left = clientReportOf(['network_error', 'error', 1])
    const known = { allow: [{ error: 'boom' }] }
    expect(judge(known, eventOf(), left).verdict).toBe('pass')
    expect(judge(known, PAGE, left).verdict).toBe('incomplete')
  })

  it('do not hide an error that arrived', () => {
    expect(judge({}, eventOf(), HOOKED)).toMatchObject({ verdict: 'fail', judged: [expect.anything(), 'errors fail'] })
  })
})

describe('discarded spans', () => {
  const SAMPLED = clientReportOf(['sample_rate', 'transaction', 4], ['sample_rate', 'span', 20])

  it('make a report incomplete if no span arrived', () => {
    expect(judge({}, SESSION, SAMPLED)).toMatchObject({
      verdict: 'incomplete',
      reasons: [
        "20 spans were created, and none arrived (sample_rate); losses: { allow: ['sample_rate', …] } in the configuration allows that",
      ],
    })
    expect(judge({}, SESSION, clientReportOf(['sample_rate', 'transaction', 1])).reasons[0]).toMatch(
      /^1 transaction was created, and none arrived \(sample_rate\); /,
    )
  })

  it.each<[string, Partial<CheckPlan>, readonly Came[]]>([
    ['some spans arrived', {}, [PAGE, SAMPLED]],
    ['the plan allows their reason', { losses: { allow: ['sample_rate'] } }, [SESSION, SAMPLED]],
    ['the plan checks only errors', { only: ['errors'] }, [SESSION, SAMPLED]],
    ['they had no parent', {}, [SESSION, clientReportOf(['no_parent_span', 'span', 2])]],
    ['the app configured the SDK to ignore them', {}, [SESSION, clientReportOf(['ignored', 'span', 2])]],
  ])('are ignored if %s', (_what, plan, came) => {
    expect(judge(plan, ...came).verdict).toBe('pass')
  })
})

/** Submissions whose number is also their arrival in seconds. */
const evidence = readEvidence([2, 4, 7].map((seq) => ({ ...decodeSubmission(eventOf()), seq, receivedAt: seq * 1000 })))

it('missing time ranges are none for a complete record', () => {
  expect(missingRanges(evidence, { olderUntil: null, damaged: [] })).toEqual([])
})

it('missing time ranges cover skipped older submissions', () => {
  expect(missingRanges(evidence, { olderUntil: 1500, damaged: [] })).toEqual([{ from: 0, until: 1500 }])
})

it('missing time ranges cover damaged submissions between their neighbours', () => {
  expect(missingRanges(evidence, { olderUntil: null, damaged: [1, 5, 9] })).toEqual([
    { from: 0, until: 2000 },
    { from: 4000, until: 7000 },
    { from: 7000, until: Number.POSITIVE_INFINITY },
  ])
})
