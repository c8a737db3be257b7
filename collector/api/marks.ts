import { nameHint } from '../../lib/config/nearest'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { type Mark, type MarkDone, type MarkOrder, type Marks, MOST_MARKS } from '../../lib/wire/marks'
import { createTurns } from '../runtime/in-turn'

interface MarksParts {
  /** Reads the marks that are stored: another collector of the record may have set them. */
  readonly read: () => Promise<readonly Mark[]>
  /** Stores a mark; `null` deletes it. */
  readonly save: (name: string, mark: Mark | null) => Promise<void>
  /** The newest journal number on record. */
  readonly head: () => Promise<number>
  readonly now: () => number
}

/** Names of moments. They stay when the record is cleared. */
export interface MomentMarks {
  readonly list: () => Promise<Marks>
  /** @returns what was done once it is stored, or why not */
  readonly order: (order: MarkOrder) => Promise<OrderedMark>
}

type OrderedMark = Result<MarkDone, { readonly status: 404 | 409; readonly detail: string }>

export function createMarks({ read, save, head, now }: MarksParts): MomentMarks {
  const inTurn = createTurns()
  const oldestFirst = async (): Promise<Mark[]> =>
    [...(await read())].sort((one, other) => one.journal - other.journal || one.at - other.at)
  const order = async ({ name, do: action = 'set' }: MarkOrder): Promise<OrderedMark> => {
    const [journal, marks] = await Promise.all([head(), oldestFirst()])
    const before = marks.find((mark) => mark.name === name) ?? null
    if (action === 'delete') {
      if (before === null) {
        const names = marks.map((mark) => mark.name)
        const hint = names.length === 0 ? 'there is none' : nameHint(name, names)
        return fail({ status: 404, detail: `there is no mark ${name}; ${hint}` })
      }
      await save(name, null)
      return succeed({ mark: null, before })
    }
    const [oldest] = marks
    if (before === null && oldest !== undefined && marks.length >= MOST_MARKS)
      return fail({
        status: 409,
        detail: `there are ${marks.length} marks, which is the most; delete one, such as the oldest: ${oldest.name}`,
      })
    const mark: Mark = { name, journal, at: now() }
    await save(name, mark)
    return succeed({ mark, before })
  }
  return {
    list: async () => ({ marks: await oldestFirst(), most: MOST_MARKS }),
    // Between the check of the number and the change no other order may run.
    order: (given) => inTurn(() => order(given)),
  }
}
