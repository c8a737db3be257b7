import { formatCount } from '../../lib/format'
import type { LedgerRow, Loss, Losses } from '../../lib/wire/losses'
import { statusNameText } from '../../lib/wire/status-text'
import type { GlyphName } from '../ui/glyph'
import type { Amount } from './ledger-columns'
import { statusOfLoss } from './lost-envelopes'

/** Items that leave the flow. Grey by choice, amber lost, red refused or unexplained, hatched pending. */
export interface FlowExit {
  readonly amount: Amount
  readonly kind: 'choice' | 'lost' | 'refused' | 'pending'
  readonly name: string
  readonly glyph: GlyphName
  readonly quantity: number
  /** The largest first. */
  readonly reasons: readonly { readonly reason: string; readonly quantity: number }[]
}

/** One data category from the program to upstream. */
export interface Flow {
  readonly category: string
  readonly made: number
  /** Equals the sent items: refused envelopes have no items that could be counted. */
  readonly stored: number
  readonly accepted: number
  readonly kept: number
  /** Before it was sent, and after it was stored. */
  readonly before: readonly FlowExit[]
  readonly after: readonly FlowExit[]
}

const AFTER: readonly (readonly [Amount & GlyphName, FlowExit['kind']])[] = [
  ['filtered', 'lost'],
  ['rate_limited', 'lost'],
  ['invalid', 'refused'],
  ['overflow', 'lost'],
  ['expired', 'lost'],
  ['dropped', 'lost'],
]

/** The flow of one category, with the exits that have items. */
export function flowOf(row: LedgerRow, { losses, notSent, deadLetters }: Omit<Losses, 'categories'>): Flow {
  const own = <One extends { readonly category: string | null }>(all: readonly One[]) =>
    all.filter(({ category }) => category === row.category)
  const lostAs = (matches: (loss: Loss) => boolean) => own(losses).filter(matches)
  const hasItems = ({ quantity }: FlowExit): boolean => quantity > 0
  const outcomes = AFTER.map(([amount, kind]): FlowExit => {
    const reasons = lostAs((loss) => statusOfLoss(loss) === amount)
    return {
      amount,
      kind,
      name: statusNameText(amount as 'filtered').word,
      glyph: amount,
      quantity: row[amount],
      reasons,
    }
  })
  const dead = own(deadLetters).map(({ status, quantity }) => ({ reason: `dead letter, ${status}`, quantity }))
  const before: readonly FlowExit[] = [
    { ...NOT_SENT, quantity: row.notSent, reasons: own(notSent) },
    { ...DISCARDED, quantity: row.discarded, reasons: lostAs(({ by }) => by === 'sdk') },
  ]
  const after: readonly FlowExit[] = [
    ...outcomes,
    { ...PENDING, quantity: row.pending, reasons: dead },
    { ...UNEXPLAINED, quantity: row.unexplained, reasons: [] },
  ]
  return {
    category: row.category,
    made: row.made,
    stored: row.received,
    accepted: row.accepted,
    kept: row.kept,
    before: before.filter(hasItems),
    after: after.filter(hasItems),
  }
}

const NOT_SENT = { amount: 'notSent', kind: 'choice', name: 'not sent by choice', glyph: 'filtered' } as const
const DISCARDED = { amount: 'discarded', kind: 'lost', name: 'lost in the SDK', glyph: 'lost' } as const
const PENDING = { amount: 'pending', kind: 'pending', name: 'pending, not lost', glyph: 'pending' } as const
const UNEXPLAINED = { amount: 'unexplained', kind: 'refused', name: 'unexplained', glyph: 'invalid' } as const

/** `87 %`; never 0 or 100 for a part. */
export function shareText(part: number, whole: number): string {
  if (part <= 0 || whole <= 0) return '0 %'
  return part >= whole ? '100 %' : `${Math.min(99, Math.max(1, Math.round((100 * part) / whole)))} %`
}

/** The good end of the flow. Items that are kept on this machine reached it, too. */
export function endText({ accepted, kept, stored }: Flow): string {
  if (stored === 0) return 'accepted upstream'
  if (kept === 0) return `accepted upstream, ${shareText(accepted, stored)} of what was sent`
  const share = `${shareText(accepted + kept, stored)} of what was sent`
  return accepted === 0
    ? `kept here, ${share}`
    : `${formatCount(accepted)} accepted and ${formatCount(kept)} kept here, ${share}`
}

/** The flow as one sentence. */
export function flowText(flow: Flow): string {
  const exits = (of: readonly FlowExit[]) => of.map(({ quantity, name }) => `${formatCount(quantity)} ${name}`)
  return [
    `Flow of ${flow.category}: ${formatCount(flow.made)} made`,
    ...exits(flow.before),
    `${formatCount(flow.stored)} sent and stored`,
    ...exits(flow.after),
    `${formatCount(flow.accepted + flow.kept)} at the end: ${endText(flow)}`,
  ].join('; ')
}
