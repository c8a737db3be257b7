import { DATA_CATEGORIES } from './data-category'

/** The category of a limit that speaks of everything. */
export const ALL = 'all'

/**
 * What a limit takes beside the category of its own name. SDKs count metrics as `metric` and every profile as `profile`
 * where Relay says `trace_metric`, `profile_chunk` and `profile_chunk_ui`; Relay counts logs and attachments by bytes,
 * too, and turns away whole items where those are used up. An event is `error` at any level, so a limit of `default`
 * takes none.
 */
const TAKES_TOO: Readonly<Record<string, readonly string[]>> = {
  metric: ['trace_metric'],
  profile: ['profile_chunk'],
  profile_chunk_ui: ['profile_chunk'],
  log_byte: ['log_item'],
  attachment_item: ['attachment'],
}

/** What SDKs call a category, where that is not its own name alone. */
const SDKS_SAY: Readonly<Record<string, readonly string[]>> = {
  trace_metric: ['metric'],
  profile_chunk: ['profile'],
}

/** Does a limit of this name take items of this data category? */
export const takes = (limit: string, category: string): boolean =>
  limit === ALL || limit === category || takesToo(limit).includes(category)

/** All names of limits that take items of this data category. */
export const limitsThatTake = (category: string): ReadonlySet<string> =>
  new Set([ALL, category, ...Object.keys(TAKES_TOO).filter((limit) => takes(limit, category))])

const KNOWN: ReadonlySet<string> = new Set([ALL, ...DATA_CATEGORIES, ...Object.keys(TAKES_TOO)])

/** Does a limit of this name take anything that has a category of its own? */
export const isKnownLimit = (limit: string): boolean => KNOWN.has(limit)

/**
 * All names by which SDKs have to be told of a limit, so that each stops what the limit takes. Of `all` every category
 * that is known by name: an SDK looks for the category first, and one whose time is over hides an `all` that runs.
 */
export function namesForSdks(limit: string): readonly string[] {
  const taken = limit === ALL ? [...DATA_CATEGORIES, 'default'] : [limit, ...takesToo(limit)]
  return [...new Set(taken.flatMap((name) => [name, ...ofName(SDKS_SAY, name)]))]
}

const takesToo = (limit: string): readonly string[] => ofName(TAKES_TOO, limit)

/** The name is upstream's word: `constructor` is nobody's category. */
const ofName = (table: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] =>
  (Object.hasOwn(table, name) ? table[name] : undefined) ?? []
