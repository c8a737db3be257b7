import type { Losses } from '../../wire/losses'

interface Counted {
  readonly quantity: number
}

/** The losses of a run without those of one of its stamps: lost, dead, pending and unexplained items. Pure. */
export function subtractLosses(total: Losses, own: Losses): Losses {
  return {
    ...total,
    losses: total.losses.flatMap((loss) =>
      reduced(
        loss,
        own.losses.filter(
          ({ by, reason, category }) => by === loss.by && reason === loss.reason && category === loss.category,
        ),
      ),
    ),
    deadLetters: total.deadLetters.flatMap((dead) =>
      reduced(
        dead,
        own.deadLetters.filter(({ category, status }) => category === dead.category && status === dead.status),
      ),
    ),
    categories: total.categories.map((row) => {
      const of = own.categories.find(({ category }) => category === row.category)
      return of === undefined
        ? row
        : { ...row, pending: row.pending - of.pending, unexplained: row.unexplained - of.unexplained }
    }),
  }
}

function reduced<One extends Counted>(one: One, by: readonly Counted[]): readonly One[] {
  const quantity = by.reduce((left, own) => left - own.quantity, one.quantity)
  return quantity > 0 ? [{ ...one, quantity }] : []
}
