import { describe, expect, it } from 'vitest'
import { type CompletionOption, completionAt, completionOptions } from '../../../dashboards/ui/completion'
import { FACETS } from '../../../dashboards/ui/facets'
import { shownText } from '../../../dashboards/ui/list-bar'
import { idLinks } from '../../../dashboards/ui/query-notes'
import { offeredTerm } from '../../../dashboards/ui/query-terms'
import { addView, MAX_VIEWS, parseViews, removeView, viewsOf } from '../../../dashboards/ui/saved-views'
import { unknownParameters } from '../../../dashboards/ui/unknown-parameters'
import { offeredValues } from '../../../dashboards/ui/value-counts'
import { keysOf, QUERY_LISTS, type QueryList } from '../../../lib/filter/keys'
import { readQuery } from '../../../lib/filter/query'

const ID = 'aaaabbbbccccddddaaaabbbbccccdddd'

const countsOf = (key: string, values: readonly (readonly [string, number])[], isWhole = true) => ({
  list: 'traces',
  key,
  values: values.map(([value, count]) => ({ value, count })),
  isWhole,
  rows: 60,
  journal: 1,
})

describe('completion', () => {
  const texts = (options: readonly CompletionOption[]) => options.map(({ text }) => text)
  const complete = (query: string, counts: ReturnType<typeof countsOf> | null = null, caret = query.length) => {
    const completion = completionAt('traces', query, caret)
    return completion === null ? null : texts(completionOptions('traces', completion, counts))
  }

  it('offers keys that begin with what was typed, and all of them after a space', () => {
    expect(complete('stat')).toEqual(['status:'])
    expect(complete('-ser')).toEqual(['-service:'])
    expect(complete('status:ok ')).toHaveLength(keysOf('traces').length)
    expect(complete('nosuch')).toEqual([])
  })

  it('offers the values of a key with their counts, the most frequent first', () => {
    const counts = countsOf('op', [
      ['pageload', 40],
      ['http.server', 20],
    ])
    expect(complete('op:', counts)).toEqual(['op:pageload ', 'op:http.server '])
    expect(complete('-op:HTTP', counts)).toEqual(['-op:http.server '])
    expect(complete('name:"GET', countsOf('name', [['GET /cart', 3]]))).toEqual(['name:"GET /cart" '])
    expect(complete('duration:>1')).toEqual(['duration:>100ms ', 'duration:>1s '])
  })

  it('replaces the term at the caret alone', () => {
    expect(completionAt('traces', 'slow op:page status:ok', 12)).toEqual({
      at: 5,
      end: 12,
      key: 'op',
      isNegated: false,
      prefix: 'page',
    })
  })

  it('offers nothing inside exact text and for an unknown key', () => {
    expect(complete('"two wor')).toBeNull()
    expect(complete('nosuch:x')).toBeNull()
  })

  it('offers at most twelve values', () => {
    const many = Array.from({ length: 40 }, (_, at) => [`op ${at}`, 1] as const)
    expect(complete('op:', countsOf('op', many))).toHaveLength(12)
  })
})

describe('the values of a facet', () => {
  it('are those of the newest rows, then valid ones with 0', () => {
    expect(offeredValues('traces', 'status', countsOf('status', [['error', 3]]))).toEqual([
      { value: 'error', count: 3 },
      { value: 'ok', count: 0 },
      { value: 'unset', count: 0 },
    ])
  })

  it('have no count before they are counted, or when only the most frequent are', () => {
    expect(offeredValues('traces', 'status', null)[0]).toEqual({ value: 'ok', count: null })
    expect(offeredValues('traces', 'status', countsOf('status', [['error', 3]], false))[1]?.count).toBeNull()
  })

  it('are answers of upstream for attempts, and levels of the SDK for signals', () => {
    expect(offeredValues('deliveries', 'status', null)).toEqual([])
    expect(offeredValues('signals', 'level', null)).toEqual([])
  })

  it.each(QUERY_LISTS)('of %s are valid terms of its keys', (list) => {
    for (const { key } of FACETS[list]) {
      expect(keysOf(list)).toContain(key)
      const terms = offeredValues(list, key, null).map(({ value }) => offeredTerm(key, value))
      expect(readQuery(list, terms.slice(0, 20).join(' '), 1.8e12).problems, key).toEqual([])
    }
  })
})

it.each<[QueryList, string, readonly string[]]>([
  ['traces', ` ${ID} `, [`/traces/${ID}`, `/events/${ID}`]],
  ['signals', ID, [`/traces/${ID}`, `/events/${ID}`]],
  ['events', ID, [`/events/${ID}`, `/traces/${ID}`]],
  ['deliveries', 'AAAABBBB-cccc-dddd-aaaa-bbbbccccdddd', [`/events/${ID}`, `/traces/${ID}`]],
  ['envelopes', '12', ['/envelopes/12']],
  ['deliveries', '12', ['/envelopes/12']],
  ['envelopes', '0', []],
  ['traces', '12', []],
  ['traces', 'abc', []],
])('an id typed alone above %s, %j links to %j', (list, typed, hrefs) => {
  expect(idLinks(list, typed).map(({ href }) => href)).toEqual(hrefs)
})

describe('the count above a list', () => {
  const leftOut = { own: 0, ownIsAtLeast: false, stored: 312, hidden: 312, evicted: 0, oldest: null }

  it('says how many rows are shown, and of none how many the query hides', () => {
    expect(shownText(1214, leftOut)).toBe('1,214 shown')
    expect(shownText(0, leftOut)).toBe('0 shown, 312 hidden by filters')
    expect([shownText(0, { ...leftOut, hidden: null }), shownText(0, null)]).toEqual(['0 shown', '0 shown'])
  })
})

describe('saved views', () => {
  const view = (name: string, path = '/traces', search = '?q=op:pageload') => ({ name, path, search })

  it('are kept by name and page', () => {
    const views = addView(addView(addView([], view('mine')), view('mine', '/logs')), view('mine', '/traces', '?q=x'))
    expect(viewsOf(views, '/traces')).toEqual([view('mine', '/traces', '?q=x')])
    expect(viewsOf(removeView(views, view('mine')), '/traces')).toEqual([])
    expect(viewsOf(removeView(views, view('mine')), '/logs')).toHaveLength(1)
    expect(parseViews(JSON.stringify(views))).toEqual(views)
  })

  it(`are at most ${MAX_VIEWS}, of which the newest stay`, () => {
    const views = Array.from({ length: MAX_VIEWS + 1 }, (_, at) => view(`view ${at}`)).reduce(addView, [] as never[])
    expect([views.length, views[0]?.name]).toEqual([MAX_VIEWS, 'view 1'])
  })

  it.each([null, '', 'no json', '{}', '[1, {"name": "x"}]'])('that cannot be read are none: %j', (text) => {
    expect(parseViews(text)).toEqual([])
  })
})

describe('an unknown parameter in an address', () => {
  it('is reported with the nearest name', () => {
    expect(unknownParameters('Losses', ['stamp'], '?stmap=ci-7')).toEqual([
      {
        name: 'stmap',
        message: 'Losses cannot be filtered by “stmap”; did you mean stamp?',
        suggestion: { text: 'stamp=ci-7', changes: { stamp: 'ci-7', stmap: null } },
        removal: { stmap: null },
      },
    ])
  })

  it('is reported with the supported names when none is near', () => {
    expect(unknownParameters('Losses', ['stamp'], '?category=span')).toMatchObject([
      { message: 'Losses cannot be filtered by “category”; supported: stamp.', suggestion: null },
    ])
    expect(unknownParameters('Limits', [], '?category=span')).toMatchObject([
      { message: 'Limits cannot be filtered by “category”.', suggestion: null },
    ])
  })

  it('is none of the page’s own and of those of marketing links, and at most three are reported', () => {
    expect(unknownParameters('Losses', ['stamp'], '?stamp=ci-7&utm_source=mail')).toEqual([])
    expect(unknownParameters('Limits', [], '?a=1&b=2&c=3&d=4')).toHaveLength(3)
  })
})
