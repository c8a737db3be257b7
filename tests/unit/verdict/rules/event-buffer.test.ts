import { describe, expect, it } from 'vitest'
import { eventBufferRule } from '../../../../lib/verdict/rules/event-buffer'
import type { SeenRequest } from '../../../../lib/verdict/rules/rule'
import { caseFrom, caseOf, clientReportOf, failing } from './sample-evidence'
import { requestOf } from './sample-request'

/** Sends that begin one millisecond apart and stay open for a second. */
const sends = (count: number, given: Partial<SeenRequest> = {}) =>
  Array.from({ length: count }, (_, index) => {
    const { answer, ...rest } = given
    return requestOf('/tunnel', { method: 'POST', atMs: index, tookMs: 1000, ...rest })
  })
const judge = (requests: readonly SeenRequest[]) => eventBufferRule.judge(caseOf({ requests }))

describe('the event-buffer rule', () => {
  it('passes with 30 open sends of one page load', () => {
    const later = sends(30).map((send) => ({ ...send, startedAt: send.startedAt + 1000, endedAt: null }))
    for (const all of [
      [...sends(30), ...later],
      [...later, ...sends(30)],
    ])
      expect(judge(all)).toEqual({ verdict: 'pass', judged: 60 })
  })

  it('fails with 31 open sends', () => {
    expect(judge(sends(31))).toEqual(
      failing(31, {
        about: 'POST http://localhost:3000/tunnel',
        at: null,
        path: '',
        actual: '31 sends of http://localhost:3000/lab open at once',
        expected: 'at most 30',
      }),
    )
  })

  it('counts a send that never ended', () => {
    const open = (count: number) => sends(count).map((send) => ({ ...send, endedAt: null }))
    const late = requestOf('/tunnel', { method: 'POST', atMs: 60_000 })
    expect(judge([...open(29), late]).verdict).toBe('pass')
    expect(judge([...open(30), late])).toMatchObject({ verdict: 'fail', found: 1 })
  })

  it('counts each page load separately', () => {
    const other = sends(20, { headers: { 'x-waystation-page': 'other' } })
    expect(judge([...sends(20), ...other])).toEqual({ verdict: 'pass', judged: 40 })
  })

  it('ignores frames of other origins', () => {
    expect(judge([...sends(30), ...sends(31, { isEmbedded: true })])).toEqual({ verdict: 'pass', judged: 30 })
  })

  it('passes for unnamed page loads that together stay below the limit', () => {
    expect(judge(sends(30, { document: null }))).toEqual({ verdict: 'pass', judged: 30 })
    const why = '31 sends without the header x-waystation-page were open at once, so their page loads are unknown.'
    expect(judge(sends(31, { document: null }))).toEqual({ verdict: 'incomplete', why })
    expect(judge([...sends(1), ...sends(31, { document: null })])).toEqual({ verdict: 'incomplete', why })
    expect(judge([...sends(31), ...sends(31, { document: null })])).toMatchObject({ verdict: 'fail', found: 1 })
  })

  it('is incomplete without observed requests, and mentions overflow', () => {
    const given = caseFrom(clientReportOf(['queue_overflow', 'error', 3], ['ratelimit_backoff', 'error', 2]))
    const why =
      'The start of a send can only be checked by toKeepTheContract() in a browser test: see docs/ci.md, “The contract”. SDKs reported 3 items dropped as queue_overflow.'
    expect(eventBufferRule.judge(given)).toEqual({ verdict: 'incomplete', why })
  })

  it('is incomplete if nothing was sent', () => {
    const why =
      'The browser sent no telemetry: no POST to /tunnel, to another path of the page’s origin with the header x-waystation-page, or to an ingest host.'
    expect(judge([requestOf('/api/cart', { method: 'POST' })])).toEqual({ verdict: 'incomplete', why })
  })
})
