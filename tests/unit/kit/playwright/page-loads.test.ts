import { expect, it } from 'vitest'
import { createPageLoads } from '../../../../lib/kit/playwright/watch-browser'

const tab = {}
const other = {}

it('what a page asks for before its next document is there belongs to the one before', () => {
  const loads = createPageLoads<object>()
  const first = loads.begins(tab)
  loads.arrived(tab)
  const second = loads.begins(tab)
  expect(loads.current(tab)).toBe(first)
  loads.arrived(tab)
  expect(loads.current(tab)).toBe(second)
  expect(second).not.toBe(first)
})

it('a redirect leads to the same document', () => {
  const loads = createPageLoads<object>()
  expect(loads.begins(tab)).toBe(loads.begins(tab))
})

it('a page that goes somewhere within its document stays in it', () => {
  const loads = createPageLoads<object>()
  loads.begins(tab)
  loads.arrived(tab)
  const before = loads.current(tab)
  loads.arrived(tab)
  expect(loads.current(tab)).toBe(before)
})

it('no two tabs share a name', () => {
  const loads = createPageLoads<object>()
  expect(loads.current(tab)).not.toBe(loads.current(other))
})
