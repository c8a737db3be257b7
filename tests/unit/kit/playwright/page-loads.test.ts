import { expect, it } from 'vitest'
import { createPageLoads } from '../../../../lib/kit/playwright/watch-browser'

const tab = {}
const other = {}

it('what a page asks for before its next document is there belongs to the one before', () => {
  const loads = createPageLoads<object>()
  const first = loads.start(tab)
  loads.commit(tab)
  const second = loads.start(tab)
  expect(loads.current(tab)).toBe(first)
  loads.commit(tab)
  expect(loads.current(tab)).toBe(second)
  expect(second).not.toBe(first)
})

it('a redirect leads to the same document', () => {
  const loads = createPageLoads<object>()
  expect(loads.start(tab)).toBe(loads.start(tab))
})

it('a page that goes somewhere within its document stays in it', () => {
  const loads = createPageLoads<object>()
  loads.start(tab)
  loads.commit(tab)
  const before = loads.current(tab)
  loads.commit(tab)
  expect(loads.current(tab)).toBe(before)
})

it('no two tabs share a name', () => {
  const loads = createPageLoads<object>()
  expect(loads.current(tab)).not.toBe(loads.current(other))
})
