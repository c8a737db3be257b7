import { expect, it } from 'vitest'
import type { FilterChanges } from '../../../dashboards/ui/filter-address'
import { typingSteps } from '../../../dashboards/ui/use-typing'

/** An address with history: a step adds an entry, other changes replace the last one. */
function address() {
  const history = [JSON.stringify({})]
  const change = (changes: FilterChanges, how: 'soon' | 'step'): boolean => {
    const before = history.at(-1) ?? '{}'
    const after = JSON.stringify({ ...JSON.parse(before), ...changes })
    if (after === before) return false
    if (how === 'step') history.push(after)
    else history[history.length - 1] = after
    return true
  }
  return { steps: typingSteps(change), history }
}

it('history steps of typing combine consecutive words', () => {
  const { steps, history } = address()
  steps.words({ text: 'slow' })
  steps.words({ text: 'slower' })
  expect(history).toEqual(['{}', '{"text":"slower"}'])
  steps.end()
  steps.words({ text: 'other' })
  expect(history).toHaveLength(3)
})

it('history steps of typing never replace an earlier entry when typing changed nothing', () => {
  const { steps, history } = address()
  steps.words({})
  steps.part({ op: 'pageload' })
  expect(history).toEqual(['{}', '{"op":"pageload"}'])
  steps.words({})
  steps.words({ text: 'slow' })
  expect(history).toHaveLength(3)
})

it('history steps of typing are separate for each complete part', () => {
  const { steps, history } = address()
  steps.words({ text: 'slow' })
  steps.part({ op: 'pageload' })
  steps.words({ text: 'slow home' })
  expect(history).toHaveLength(4)
})
