import { meantBy } from '../../config/nearest'
import { DISCARD_REASONS } from '../../protocol/outcome'
import { shown } from './shown'

/** Signs in which a reason may differ from one that is known, and be meant as that. */
const MOST_MISTYPED = 2

/**
 * Reasons are free text; one that is a letter or two beside a known one is mistyped.
 * @returns the reason, and what was meant; `null` where it may be one.
 */
export function mistypedReason(reason: string): string | null {
  if (DISCARD_REASONS.includes(reason)) return null
  const meant = meantBy(reason, DISCARD_REASONS, MOST_MISTYPED)
  return meant === null ? null : `${shown(reason)}, which is no reason that is known: did you mean ${meant}?`
}
