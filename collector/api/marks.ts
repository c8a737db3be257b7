import { nameHint } from '../../lib/config/nearest'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { type Mark, type MarkDone, type MarkOrder, type Marks, MOST_MARKS } from '../../lib/wire/marks'

interface MarksParts {
  readonly stored: readonly Mark[]
  /** Stores a mark; `null` deletes it. */
  readonly save: (name: string, mark: Mark | null) => Promise<void>
  /** The newest journal number on record. */
  readonly head: () => Promise<number>
  readonly now: () => number
}

/** Names of moments. They stay when the record is cleared. */
export interface MomentMarks {
  readonly list: () => Marks
  /** @returns what was done once it is stored, or why not */
  readonly order: (
    order: MarkOrder,
  ) => Promise<Result<MarkDone, { readonly status: 404 | 409; readonly detail: string }>>
}

export function createMarks({ stored, save, head, now }: MarksParts): MomentMarks {
  const marks = new Map(stored.map((mark) => [mark.name, mark]))
  const oldestFirst = (): Mark[] =>
    [...marks.values()].sort((one, other) => one.journal - other.journal || one.at - other.at)
  return {
    list: () => ({ marks: oldestFirst(), most: MOST_MARKS }),
    order: async ({ name, do: action = 'set' }) => {
      // Read first: between the check of the number and the change nothing may wait.
      const journal = await head()
      const before = marks.get(name) ?? null
      if (action === 'delete') {
        if (before === null) {
          const hint = marks.size === 0 ? 'there is none' : nameHint(name, [...marks.keys()])
          return fail({ status: 404, detail: `there is no mark ${name}; ${hint}` })
        }
        marks.delete(name)
        await save(name, null)
        return succeed({ mark: null, before })
      }
      const [oldest] = oldestFirst()
      if (before === null && oldest !== undefined && marks.size >= MOST_MARKS)
        return fail({
          status: 409,
          detail: `there are ${marks.size} marks, which is the most; delete one, such as the oldest: ${oldest.name}`,
        })
      const mark: Mark = { name, journal, at: now() }
      marks.set(name, mark)
      await save(name, mark)
      return succeed({ mark, before })
    },
  }
}
