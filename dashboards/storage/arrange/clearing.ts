import type { Storage } from '../../../lib/wire/storage'
import { plural } from '../../words/quantities'

export interface ClearWords {
  readonly goes: string
  readonly stays: string
  /** What cannot be undone, where it is more than a view that is lost. */
  readonly warning: string | null
}

const COUNTERS = 'Counts of what was received and of what became of it stay, and numbers go on.'

/** Records that owe nothing: what clearing takes away. */
export const owesNothing = ({ records, owed }: Pick<Storage, 'records' | 'owed'>): number =>
  Math.max(0, records - owed.records)

/** What will go and what stays when everything is cleared that owes nothing. */
export function clearWords(storage: Pick<Storage, 'records' | 'owed'>): ClearWords {
  const owed = storage.owed.records
  return {
    goes: `${plural(owesNothing(storage), 'record')} and their rows will go: they show in no list and no trace any more.`,
    stays: `${owed === 0 ? 'Nothing is owed just now.' : `${plural(owed, 'envelope')} that upstream is owed ${owed === 1 ? 'stays and is' : 'stay and are'} relayed.`} ${COUNTERS}`,
    warning: null,
  }
}

/** What will go when what is owed is dropped too. */
export function dropWords(storage: Pick<Storage, 'records' | 'owed'>): ClearWords {
  const owed = storage.owed.records
  return {
    goes: `All ${plural(storage.records, 'record')} and their rows will go.`,
    stays: COUNTERS,
    warning:
      owed === 0
        ? 'Nothing is owed just now, so no envelope is lost to upstream.'
        : `${plural(owed, 'envelope')} will never reach upstream. ${owed === 1 ? 'It ends' : 'They end'} as dropped.`,
  }
}
