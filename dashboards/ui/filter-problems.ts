import { similarName } from '../../lib/config/nearest'
import type { CollectorError } from '../../lib/wire/errors'
import type { FilterName } from '../../lib/wire/filter'
import { type BoardList, type FilterChanges, isFilterName } from './filter-address'
import { formatPart, quote, unknownNameText } from './filter-parser'
import { partChanges } from './filter-values'
import { ledgerHref } from './links'

export type AddressChanges = Readonly<Record<string, string | null>>

/** A parameter in the address that the page does not support: ignoring it silently would show too much. */
export interface UnknownParameter {
  readonly name: string
  readonly message: string
  /** The probable correction as it would be typed, and its changes to the address. */
  readonly suggestion: { readonly typed: string; readonly changes: AddressChanges } | null
  readonly removal: AddressChanges
}

const MOST_UNKNOWN = 3
/** Parameters of marketing links. */
const TRACKING = /^utm(_|$)/

/** @param ownParams parameters of the page besides the filters */
export function unknownParameters(
  list: BoardList,
  search: string,
  ownParams: readonly string[],
): readonly UnknownParameter[] {
  const isKnown = (name: string): boolean => isFilterName(list, name) || ownParams.includes(name)
  return unknownIn(search, isKnown, (name, value) => {
    const { message, nearest } = unknownNameText(list, name)
    return { message, nearest, changes: nearest === null ? null : partChanges(list, nearest, value) }
  })
}

/** The same for a page without a list; `page` is its heading, `known` its parameters. */
export const unknownPageParameters = (
  page: string,
  known: readonly string[],
  search: string,
): readonly UnknownParameter[] =>
  unknownIn(
    search,
    (name) => known.includes(name),
    (name, value) => {
      const nearest = similarName(name, known)
      const supported = known.length === 0 ? '.' : `; supported: ${known.join(', ')}.`
      return {
        message: `${page} cannot be filtered by “${name}”${nearest === null ? supported : `; did you mean ${nearest}?`}`,
        nearest,
        changes: nearest === null ? null : { [nearest]: value },
      }
    },
  )

interface NameProblem {
  readonly message: string
  readonly nearest: string | null
  readonly changes: AddressChanges | null
}

function unknownIn(
  search: string,
  isKnown: (name: string) => boolean,
  describe: (name: string, value: string) => NameProblem,
): readonly UnknownParameter[] {
  const unknown = [...new URLSearchParams(search)].filter(([name]) => !isKnown(name) && !TRACKING.test(name))
  return [...new Map(unknown)].slice(0, MOST_UNKNOWN).map(([name, value]) => {
    const { message, nearest, changes } = describe(name.slice(0, 40), value)
    const removal = { [name]: null }
    return {
      name,
      message,
      suggestion:
        changes === null ? null : { typed: `${nearest}:${quote(value)}`, changes: { ...changes, ...removal } },
      removal,
    }
  })
}

/** A filter that the collector refused with 400. */
export interface RefusedFilter {
  readonly message: string
  readonly names: readonly FilterName[]
  readonly suggestion: { readonly typed: string; readonly changes: FilterChanges } | null
  /** The page that lists the requested rows instead. */
  readonly elsewhere: { readonly href: string; readonly text: string } | null
}

const DEAD_LETTERS = /^dead[ _-]?letters?$/i

/** The refused parts of the filter, and what to do about them. */
export function refusedFilter(
  list: BoardList,
  { message, refused }: Pick<CollectorError, 'message' | 'refused'>,
): RefusedFilter {
  if (refused?.field === 'delivery' && DEAD_LETTERS.test(refused.value) && isFilterName(list, 'delivery'))
    return {
      message: 'Dead letters have a list of their own; their delivery status is pending.',
      names: ['delivery'],
      suggestion: null,
      elsewhere: { href: ledgerHref('dead-letters'), text: 'Open the dead letters' },
    }
  const names = [refused?.conflictsWith, refused?.field].filter((name) => name !== undefined)
  const known = names.filter((name) => isFilterName(list, name))
  const [name] = known
  const value = refused?.reason === 'invalid' ? refused.suggestion : null
  return {
    message,
    names: known,
    suggestion:
      name === undefined || value === null ? null : { typed: formatPart(name, value), changes: { [name]: value } },
    elsewhere: null,
  }
}
