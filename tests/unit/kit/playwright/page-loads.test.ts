import { expect, it } from 'vitest'
import { createPageLoads } from '../../../../lib/kit/playwright/watch-browser'

const tab = {}
const other = {}

it('assigns requests to the old document until the next one is committed', () => {
  const loads = createPageLoads<object>()
  const first = loads.start(tab)
  loads.commit(tab)
  const second = loads.start(tab)
  expect(loads.current(tab)).toBe(first)
  loads.commit(tab)
  expect(loads.current(tab)).toBe(second)
  expect(second).not.toBe(first)
})

it('assigns a redirect to the same document', () => {
  const loads = createPageLoads<object>()
  expect(loads.start(tab)).toBe(loads.start(tab))
})

it('keeps the document for navigations within it', () => {
  const loads = createPageLoads<object>()
  loads.start(tab)
  loads.commit(tab)
  const before = loads.current(tab)
  loads.commit(tab)
  expect(loads.current(tab)).toBe(before)
})

it('gives each tab its own names', () => {
  const loads = createPageLoads<object>()
  expect(loads.current(tab)).not.toBe(loads.current(other))
})
