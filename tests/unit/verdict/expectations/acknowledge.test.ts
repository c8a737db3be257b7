import { expect, it } from 'vitest'
import { acknowledge } from '../../../../lib/verdict/expectations/acknowledge'
import type { Judged } from '../../../../lib/verdict/expectations/report'
import { acknowledgedLines } from '../../../../lib/verdict/reports/report-text'
import { failing, finding, judged, report } from '../reports/sample-reports'

const setup = (given: Partial<Judged> = {}): Judged =>
  judged({
    id: 'setup',
    severity: 'warning',
    verdict: failing([finding({ about: 'personal data' }), finding({ about: 'release' })]),
    ...given,
  })
const personal = { check: 'setup', about: 'personal', why: 'support needs it' }
const release = { check: 'setup', about: 'release', why: 'the page has its own' }
const other = { check: 'orphans', about: 'personal', why: '…' }

it('removes acknowledged warnings, and names entries that match nothing', () => {
  expect(acknowledge([setup()], [personal, other])).toMatchObject({
    judged: [{ verdict: { found: 1, findings: [{ about: 'release' }] } }],
    acknowledged: 1,
    unused: [other],
  })
  expect(acknowledge([setup()], [personal, release]).judged[0]?.verdict).toEqual({ verdict: 'pass', judged: 2 })
})

it('keeps failures, except minor ones', () => {
  const minor = failing([finding({ about: 'personal data', isMinor: true }), finding({ about: 'release' })])
  expect(acknowledge([setup({ severity: 'error' })], [personal])).toMatchObject({ acknowledged: 0, unused: [personal] })
  expect(acknowledge([setup({ severity: 'error', verdict: minor })], [personal, release])).toMatchObject({
    acknowledged: 1,
    unused: [release],
  })
})

it('counts acknowledged warnings in a line', () => {
  expect(acknowledgedLines(report({ acknowledged: 2, unacknowledged: [other] }))).toEqual([
    '2 warnings acknowledged in the configuration',
    'acknowledge: no warning matches orphans personal; remove it',
  ])
})
