import type { GoldenLine } from './golden-file'

/** Lines of a file and of a trace that belong together. */
export interface Pairing {
  /** `null` for a line that only the trace has. */
  readonly expected: GoldenLine | null
  /** `null` for a line that only the file has, and for one that matches. */
  readonly actual: GoldenLine | null
  /** How many spans of the trace belong to the line. */
  readonly count: number
  /** The line of the file matches them with all below. */
  readonly isMatch: boolean
}

/** Fewer spans than these do not match. */
const leastOf = ({ isOptional, least }: GoldenLine): number => (isOptional ? 0 : least)

/** Does the number of spans fit the line? */
export const isInRange = (count: number, line: GoldenLine): boolean => count >= leastOf(line) && count <= line.most

/**
 * Do the siblings of a file match those of a trace, in any order? Each span belongs to one line. If the lines can take all
 * spans, and the spans can fill all least numbers, both is possible at once (Mendelsohn and Dulmage).
 */
export function matchSiblings(expected: readonly GoldenLine[], actual: readonly GoldenLine[]): boolean {
  const fits = expected.map((line) => actual.map((one) => matchLine(line, one)))
  const counts = actual.map(({ most }) => most)
  return (
    canPlace(
      counts,
      expected.map(({ most }) => most),
      (at, to) => fits[to]?.[at] === true,
    ) && canPlace(expected.map(leastOf), counts, (at, to) => fits[at]?.[to] === true)
  )
}

const matchLine = (line: GoldenLine, one: GoldenLine): boolean =>
  line.label === one.label && matchSiblings(line.children, one.children)

/** Can each amount be placed where it may be? Finds a flow by augmenting paths (Ford and Fulkerson). */
function canPlace(
  amounts: readonly number[],
  capacities: readonly number[],
  mayBe: (amount: number, place: number) => boolean,
): boolean {
  const free = [...capacities]
  const placed = amounts.map(() => new Map<number, number>())
  const move = (at: number, to: number, by: number): void => {
    placed[at]?.set(to, (placed[at]?.get(to) ?? 0) + by)
  }
  /** @returns how much of it was placed, after others made space */
  const place = (at: number, amount: number, tried: Set<number>): number => {
    for (const to of capacities.keys()) {
      if (tried.has(to) || !mayBe(at, to)) continue
      tried.add(to)
      const left = free[to] ?? 0
      if (left > 0) {
        const by = Math.min(amount, left)
        free[to] = left - by
        move(at, to, by)
        return by
      }
      for (const [other, of] of placed.entries()) {
        const there = of.get(to) ?? 0
        const by = other === at || there === 0 ? 0 : place(other, Math.min(amount, there), tried)
        if (by === 0) continue
        move(other, to, -by)
        move(at, to, by)
        return by
      }
    }
    return 0
  }
  return amounts.every((amount, at) => {
    let left = amount
    for (let by = 1; left > 0 && by > 0; left -= by) by = place(at, left, new Set())
    return left === 0
  })
}

/**
 * Pairs siblings of a file with those of a trace: first those that match, then those with equal labels, then those with
 * equal op and name. Each line and each span is in one pairing.
 */
export function alignSiblings(expected: readonly GoldenLine[], actual: readonly GoldenLine[]): readonly Pairing[] {
  const left = new Map(actual.map((one) => [one, one.most]))
  const pairings = new Map<GoldenLine, Pairing>()
  for (const line of expected) {
    const taken = takeMatching(line, left)
    if (taken.count > 0 && taken.count >= leastOf(line)) {
      for (const [one, count] of taken.of) left.set(one, (left.get(one) ?? 0) - count)
      // Further equal spans exceed the line.
      const beyond = [...taken.of.keys()].find((one) => (left.get(one) ?? 0) > 0 && !hasOther(line, one))
      const count = taken.count + (beyond === undefined ? 0 : (left.get(beyond) ?? 0))
      if (beyond !== undefined) left.set(beyond, 0)
      pairings.set(line, { expected: line, actual: beyond ?? null, count, isMatch: beyond === undefined })
    }
  }
  for (const keyOf of [({ label }: GoldenLine) => label, headOf])
    for (const line of expected) {
      const one = pairings.has(line)
        ? undefined
        : actual.find((other) => (left.get(other) ?? 0) > 0 && keyOf(other) === keyOf(line))
      if (one === undefined) continue
      pairings.set(line, { expected: line, actual: one, count: left.get(one) ?? 0, isMatch: false })
      left.set(one, 0)
    }
  const rest = expected.filter((line) => !pairings.has(line))
  return [
    ...pairings.values(),
    ...rest.map((line) => ({ expected: line, actual: null, count: 0, isMatch: line.isOptional })),
    ...[...left].flatMap(([one, count]) => (count > 0 ? [{ expected: null, actual: one, count, isMatch: false }] : [])),
  ]

  /** Is there another line of the file that may match it? */
  function hasOther(line: GoldenLine, one: GoldenLine): boolean {
    return expected.some((other) => other !== line && !pairings.has(other) && matchLine(other, one))
  }
}

/** The matching spans that are left, as many as the line may have. */
function takeMatching(line: GoldenLine, left: ReadonlyMap<GoldenLine, number>) {
  const of = new Map<GoldenLine, number>()
  let count = 0
  for (const [one, there] of left) {
    const by = Math.min(there, line.most - count)
    if (by === 0 || !matchLine(line, one)) continue
    of.set(one, by)
    count += by
  }
  return { count, of }
}

/** Op and name, without the details. */
export const headOf = ({ label }: GoldenLine): string => label.replace(/ \[.*$/, '')
