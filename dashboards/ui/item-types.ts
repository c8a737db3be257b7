import { categoryOf, KNOWN_TYPES } from '../../lib/protocol/data-category'
import { ALL, takes } from '../../lib/protocol/limited'

/** The type whose items a data category counts, where it is one: what nobody knows counts under its own name. */
export const typeOfCategory = (category: string): string | undefined =>
  theOne(
    KNOWN_TYPES.filter((type) => categoryOf(type) === category),
    category,
  )

/** The type whose items a limit of this name takes, where it is one. */
export const typeLimitedBy = (limit: string): string | undefined =>
  limit === ALL
    ? undefined
    : theOne(
        KNOWN_TYPES.filter((type) => takes(limit, categoryOf(type))),
        limit,
      )

const theOne = (types: readonly string[], unknown: string): string | undefined =>
  types.length === 0 ? unknown : types.length === 1 ? types[0] : undefined
