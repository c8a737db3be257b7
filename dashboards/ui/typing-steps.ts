import type { FilterChanges } from './filter-of-list'

/** Says another filter in the address. @returns whether the address says anything new by it. */
export type ChangeFilter = (changes: FilterChanges, how: 'soon' | 'step') => boolean

/** Which of the things typed a step back undoes: words that are typed in one go at once, each whole part alone. */
export interface TypingSteps {
  readonly words: (changes: FilterChanges) => void
  readonly part: (changes: FilterChanges) => void
  /** What is typed from here on is another step. */
  readonly end: () => void
}

export function typingSteps(change: ChangeFilter): TypingSteps {
  // Only a step of this go may be replaced: what was in the address before it belongs to the reader.
  let isStepped = false
  return {
    words: (changes) => {
      isStepped = change(changes, isStepped ? 'soon' : 'step') || isStepped
    },
    part: (changes) => {
      change(changes, 'step')
      isStepped = false
    },
    end: () => {
      isStepped = false
    },
  }
}
