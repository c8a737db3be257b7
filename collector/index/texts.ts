import type { Signal } from '../../lib/protocol/items/signal'
import type { EventRow } from '../../lib/protocol/traversal/rows'

/*
 * What `text=` is looked for in. The digest cuts these into words, and a list compares the rows it found with these.
 */

export const eventTexts = ({
  title,
  transaction,
}: Pick<EventRow, 'title' | 'transaction'>): readonly (string | null)[] => [title, transaction]

/** Its name, and what its kind alone says in words (an e-mail address, a monitor); of attributes nothing. */
export const signalTexts = ({ name, fields }: Pick<Signal, 'name' | 'fields'>): readonly string[] => [
  name,
  ...Object.values(fields).filter((value) => typeof value === 'string'),
]
