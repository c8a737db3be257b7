import { plural } from '../../lib/format'
import type { Storage } from '../../lib/wire/storage'

export interface ClearWords {
  readonly goes: string
  readonly stays: string
  /** What cannot be undone, where it is more than a view that is lost. */
  readonly warning: string | null
}

const COUNTERS = 'Counts of what was received and of what became of it stay, and numbers go on.'

type Cleared = Pick<Storage, 'records' | 'pending' | 'deadLetters'>

/** Records that owe nothing, dead letters aside: what clearing takes away. */
export const owesNothing = ({ records, pending, deadLetters }: Cleared): number =>
  Math.max(0, records - pending.records - deadLetters.records)

/** What will go and what stays when everything is cleared that owes nothing. */
export function clearWords(storage: Cleared): ClearWords {
  const { pending, deadLetters } = storage
  const stays = [
    pending.records === 0
      ? 'Nothing is pending just now.'
      : `${plural(pending.records, 'envelope')} that upstream is pending ${pending.records === 1 ? 'stays and is' : 'stay and are'} relayed.`,
    ...(deadLetters.records === 0
      ? []
      : [`${plural(deadLetters.records, 'dead letter')} ${deadLetters.records === 1 ? 'stays' : 'stay'}.`]),
    COUNTERS,
  ]
  return {
    goes: `${plural(owesNothing(storage), 'record')} and their rows will go: they show in no list and no trace any more.`,
    stays: stays.join(' '),
    warning: null,
  }
}

/** What will go when what is pending is dropped too, dead letters with it. */
export function dropWords({ records, pending, deadLetters }: Cleared): ClearWords {
  const lost = pending.records + deadLetters.records
  return {
    goes: `All ${plural(records, 'record')} and their rows will go.`,
    stays: lost === 0 ? `Nothing is pending just now, so no envelope is lost to upstream. ${COUNTERS}` : COUNTERS,
    warning:
      lost === 0
        ? null
        : `${plural(lost, 'envelope')} will never reach upstream. ${lost === 1 ? 'It ends' : 'They end'} as dropped.`,
  }
}
