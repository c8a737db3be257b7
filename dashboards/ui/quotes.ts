import type { FilterName } from '../../lib/wire/filter'

/** A value as it is typed: in quotes where it has spaces, or would be read as another thing. */
export const quoted = (value: string): string => (/\s|^"|^\/\/|^$/.test(value) ? inQuotes(value) : value)

export const inQuotes = (value: string): string => `"${value.replaceAll('"', '""')}"`

/** What the columns call a thing, where its parameter has another name. */
export const typedName = (name: FilterName): string => (name === 'deliveryStatus' ? 'delivery' : name)

/** One part of a filter as it is typed. */
export const typedPart = (name: FilterName, value: string): string => `${typedName(name)}:${quoted(value)}`
