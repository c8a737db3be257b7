import { describe, expect, it } from 'vitest'
import { CONTRACT } from '../../../../lib/contract/settings'
import { OBSERVATIONS } from '../../../../lib/verdict/rules/registry'
import { caseFrom, caseOf, drawn, transactionOf } from './sample-evidence'
import { requestOf } from './sample-request'

const HEADERS = { rsc: '1' }
const PREFETCH = { headers: { ...HEADERS, 'next-router-prefetch': '1' } }

describe('observations for stated settings', () => {
  it('exist for each stated setting', () => {
    const stated = CONTRACT.filter(({ judgedFrom }) => judgedFrom.includes('stated')).map(({ id }) => id)
    expect(Object.keys(OBSERVATIONS)).toEqual(stated)
  })

  it('count prefetches open at once', () => {
    const requests = [
      requestOf('/a?_rsc=1', { ...PREFETCH, tookMs: 50 }),
      requestOf('/b?_rsc=1', { ...PREFETCH, atMs: 20 }),
      requestOf('/c?_rsc=1', { ...PREFETCH, atMs: 50 }),
    ]
    expect(OBSERVATIONS['prefetch-queue']?.(caseOf({ requests }))).toBe(
      '3 prefetches, at most 2 open at once (the setting is 5).',
    )
  })

  it('show how soon pages were requested again', () => {
    const first = requestOf('/a?_rsc=1', { headers: HEADERS })
    const again = requestOf('/a?_rsc=2', { headers: HEADERS, atMs: 31_000 })
    const observe = OBSERVATIONS['prefetch-freshness']
    expect(observe?.(caseOf({ requests: [first] }))).toBe('The router requested 1 page, none twice.')
    expect(observe?.(caseOf({ requests: [first, again] }))).toBe(
      'The router requested 2 pages, 1 of them again, the first repetition after 31 s (fresh for 30 s).',
    )
    const third = requestOf('/a?_rsc=3', { headers: HEADERS, atMs: 33_000 })
    const prefetched = requestOf('/a?_rsc=4', { ...PREFETCH, atMs: 34_000 })
    const withoutDocument = requestOf('/a?_rsc=5', { headers: HEADERS, atMs: 34_000, document: null })
    expect(observe?.(caseOf({ requests: [first, again, third, prefetched, withoutDocument] }))).toBe(
      'The router requested 3 pages, 2 of them again, the first repetition after 2 s (fresh for 30 s).',
    )
  })

  it('show the duration of navigations', () => {
    const bodies = ['==========', '====================', '=========================================']
    const observe = OBSERVATIONS['route-load-timeout']
    expect(
      observe?.(
        caseFrom(...bodies.map((bar, index) => transactionOf(drawn(`navigation /a  ${bar}`), { ids: `${index}` }))),
      ),
    ).toBe('3 navigations, the longest 4.1 s; 1 took longer than 3.8 s.')
    expect(observe?.(caseOf())).toBe('No navigation was recorded.')
  })

  it('name the reason without observed requests', () => {
    expect(OBSERVATIONS['prefetch-queue']?.(caseOf())).toBe('Browser requests are only observed in browser tests.')
  })
})
