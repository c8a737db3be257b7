import type { Source } from '../../lib/protocol/traversal/rows'

/**
 * What a signal is kept under. One that is nobody's repeat is named by its place, in digits that sort as numbers do: a
 * container's entries are listed in the order in which they were sent.
 */
export const signalKey = (key: string | null, { seq, item }: Pick<Source, 'seq' | 'item'>, place: number): string =>
  key ?? `${seq}.${String(item).padStart(3, '0')}.${String(place).padStart(6, '0')}`
