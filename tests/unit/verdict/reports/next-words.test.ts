import { expect, it } from 'vitest'
import { plainAdvice } from '../../../../lib/verdict/reports/next-words'
import { arrived, observed } from '../arrival/observed-test'
import { eventOf } from '../rules/sample-evidence'
import { requestOf } from '../rules/sample-request'
import { failing, finding, judged, report } from './sample-reports'

const advice = report({
  reasons: ['Is Sentry.init called (instrumentation-client.ts)?'],
  judged: [
    judged({
      fix: 'Export onRequestError = Sentry.captureRequestError from instrumentation.ts. Is it sent?',
      verdict: failing([finding({ actual: 'is Sentry.init called in it (instrumentation.ts), with SENTRY_DSN?' })]),
    }),
  ],
})
const other = arrived(eventOf({ sdk: { name: 'sentry.javascript.browser' } }))

it('names no files of Next in an app of another framework', () => {
  const plain = plainAdvice(advice, other, [observed()])
  expect(JSON.stringify(plain)).not.toMatch(/instrumentation|onRequestError/)
  expect(plain.reasons).toEqual(['Is Sentry.init called?'])
  expect(plain.judged[0]?.verdict).toMatchObject({
    findings: [{ actual: 'is Sentry.init called in it, with SENTRY_DSN?' }],
  })
})

it('names them if an SDK for Next or a request to /_next/ was seen', () => {
  expect(plainAdvice(advice, arrived(eventOf({ sdk: { name: 'sentry.javascript.nextjs' } })), [])).toBe(advice)
  expect(plainAdvice(advice, other, [observed({ requests: [requestOf('/_next/static/a.js')] })])).toBe(advice)
})
