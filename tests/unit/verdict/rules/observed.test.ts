import { describe, expect, it } from 'vitest'
import { CONTRACT } from '../../../../lib/contract/settings'
import { STATED } from '../../../../lib/verdict/rules/registry'
import { caseFrom, caseOf, drawn, transactionOf } from './sample-evidence'
import { requestOf } from './sample-request'

const HEADERS = { rsc: '1' }
const PREFETCH = { headers: { ...HEADERS, 'next-router-prefetch': '1' } }

describe('what was seen beside a setting that is stated', () => {
  it('is told for each of them', () => {
    const stated = CONTRACT.filter(({ judgedFrom }) => judgedFrom.includes('stated')).map(({ id }) => id)
    expect(Object.keys(STATED)).toEqual(stated)
  })

  it('is how many prefetches were open at once', () => {
    const requests = [
      requestOf('/a?_rsc=1', { ...PREFETCH, tookMs: 50 }),
      requestOf('/b?_rsc=1', { ...PREFETCH, atMs: 20 }),
      requestOf('/c?_rsc=1', { ...PREFETCH, atMs: 50 }),
    ]
    expect(STATED['prefetch-queue']?.(caseOf({ requests }))).toBe(
      '3 prefetches, at most 2 open at once (5 are stated).',
    )
  })

  it('is how soon pages were asked for again', () => {
    const first = requestOf('/a?_rsc=1', { headers: HEADERS })
    const again = requestOf('/a?_rsc=2', { headers: HEADERS, atMs: 31_000 })
    const told = STATED['prefetch-freshness']
    expect(told?.(caseOf({ requests: [first] }))).toBe('1 page asked for by the router, none of them again.')
    expect(told?.(caseOf({ requests: [first, again] }))).toBe(
      '2 pages asked for by the router, 1 of them again: the soonest after 31 s (fresh for 30 s).',
    )
    const third = requestOf('/a?_rsc=3', { headers: HEADERS, atMs: 33_000 })
    const prefetched = requestOf('/a?_rsc=4', { ...PREFETCH, atMs: 34_000 })
    const ofNobody = requestOf('/a?_rsc=5', { headers: HEADERS, atMs: 34_000, document: null })
    expect(told?.(caseOf({ requests: [first, again, third, prefetched, ofNobody] }))).toBe(
      '3 pages asked for by the router, 2 of them again: the soonest after 2 s (fresh for 30 s).',
    )
  })

  it('is how long navigations took', () => {
    const bodies = ['==========', '====================', '=========================================']
    const told = STATED['route-load-timeout']
    expect(
      told?.(
        caseFrom(...bodies.map((bar, index) => transactionOf(drawn(`navigation /a  ${bar}`), { ids: `${index}` }))),
      ),
    ).toBe('3 navigations, the longest 4.1 s; 1 took longer than 3.8 s.')
    expect(told?.(caseOf())).toBe('No navigation was recorded.')
  })

  it('is nothing where nobody watched', () => {
    expect(STATED['prefetch-queue']?.(caseOf())).toBe('What a browser asks for is seen in browser tests alone.')
  })
})
