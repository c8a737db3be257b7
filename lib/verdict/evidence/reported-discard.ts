import { countedDiscard } from '../../protocol/outcome'
import type { SeenSignal } from './evidence'

/** The discard that a signal of a client report counts; `null` for any other signal, for a copy, and for bytes. */
export function reportedDiscard({ kind, copy, fields }: SeenSignal): ReturnType<typeof countedDiscard> {
  const { category, reason, quantity } = fields
  return kind === 'client_report' && !copy ? countedDiscard({ category, reason, quantity }) : null
}
