import { fail, type Result, succeed } from '../../lib/protocol/result'
import { type GroupMark, type GroupMarkOrder, MOST_MARKED_GROUPS } from '../../lib/wire/error-groups'
import { createTurns } from '../runtime/in-turn'
import type { StoredMark } from '../spool/spool'

interface GroupMarksParts {
  /** Reads the marks that are stored, by hash: another collector of the record may have set them. */
  readonly read: () => Promise<ReadonlyMap<string, StoredMark>>
  /** Stores a mark; `null` deletes it. */
  readonly save: (hash: string, mark: StoredMark | null) => Promise<void>
}

/** Applies an order to the mark of a group. @returns the mark once it is stored, or why there is no space for it */
export type MarkGroup = (order: GroupMarkOrder) => Promise<Result<GroupMark, string>>

/** Mutes and notes of error groups. They stay when the events of their group are evicted. */
export function createMarkGroup({ read, save }: GroupMarksParts): MarkGroup {
  const inTurn = createTurns()
  const order: MarkGroup = async ({ hash, muted, note }) => {
    const marks = await read()
    const before = marks.get(hash) ?? { muted: false, note: null }
    const mark = { muted: muted ?? before.muted, note: note === undefined ? before.note : note.trim() || null }
    const isEmpty = !mark.muted && mark.note === null
    if (!isEmpty && !marks.has(hash) && marks.size >= MOST_MARKED_GROUPS)
      return fail(
        `${marks.size} groups of errors are muted or have a note, which is the most; unmute one, or delete its note`,
      )
    await save(hash, isEmpty ? null : mark)
    return succeed({ hash, ...mark })
  }
  // Between the check of the number and the change no other order may run.
  return (given) => inTurn(() => order(given))
}
