import { describe, expect, it } from 'vitest'
import type { FilterChanges } from '../../../dashboards/ui/filter-address'
import { typingSteps } from '../../../dashboards/ui/use-typing'

/** An address with its history: a step adds to it, the rest writes over the last of it. */
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

describe('what a step back undoes of what was typed', () => {
  it('is all words of one go at once', () => {
    const { steps, history } = address()
    steps.words({ text: 'slow' })
    steps.words({ text: 'slower' })
    expect(history).toEqual(['{}', '{"text":"slower"}'])
    steps.end()
    steps.words({ text: 'other' })
    expect(history).toHaveLength(3)
  })

  it('is never what was there before, when a pause in typing said nothing new', () => {
    const { steps, history } = address()
    steps.words({})
    steps.part({ op: 'pageload' })
    expect(history).toEqual(['{}', '{"op":"pageload"}'])
    steps.words({})
    steps.words({ text: 'slow' })
    expect(history).toHaveLength(3)
  })

  it('is each whole part alone', () => {
    const { steps, history } = address()
    steps.words({ text: 'slow' })
    steps.part({ op: 'pageload' })
    steps.words({ text: 'slow home' })
    expect(history).toHaveLength(4)
  })
})
