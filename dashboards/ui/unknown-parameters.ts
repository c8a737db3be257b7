import { similarName } from '../../lib/config/nearest'

export type AddressChanges = Readonly<Record<string, string | null>>

/** A parameter in the address that the page does not support: ignoring it silently would show too much. */
export interface UnknownParameter {
  readonly name: string
  readonly message: string
  /** The probable correction, and its changes to the address. */
  readonly suggestion: { readonly text: string; readonly changes: AddressChanges } | null
  readonly removal: AddressChanges
}

const MOST_UNKNOWN = 3
/** Parameters of marketing links. */
const TRACKING = /^utm(_|$)/

/** @param page its heading @param known its parameters */
export function unknownParameters(page: string, known: readonly string[], search: string): readonly UnknownParameter[] {
  const given = new Map([...new URLSearchParams(search)].filter(([name]) => !known.includes(name)))
  const unknown = [...given].filter(([name]) => !TRACKING.test(name)).slice(0, MOST_UNKNOWN)
  return unknown.map(([name, value]) => {
    const short = name.slice(0, 40)
    const nearest = similarName(short, known)
    const supported = known.length === 0 ? '.' : `; supported: ${known.join(', ')}.`
    const removal = { [name]: null }
    return {
      name,
      message: `${page} cannot be filtered by “${short}”${nearest === null ? supported : `; did you mean ${nearest}?`}`,
      suggestion: nearest === null ? null : { text: `${nearest}=${value}`, changes: { [nearest]: value, ...removal } },
      removal,
    }
  })
}
