/** One term of a query as it was typed. */
export interface Token {
  /** Index of its first character. */
  readonly at: number
  readonly source: string
  readonly key: string | null
  readonly isNegated: boolean
  readonly comparison: '>' | '>=' | '<' | '<=' | null
  /** Without quotation marks and without the `*` at its end. */
  readonly value: string
  /** A value in quotation marks, in which two of them are one. */
  readonly isQuoted: boolean
  /** True unless a quotation has no end. */
  readonly isClosed: boolean
  /** The value ends with `*`. */
  readonly isStart: boolean
}

const TERM = /(-(?=[^\s]))?(?:([a-z_]+):(?!\/\/)(>=|<=|>|<)?)?(?:"((?:[^"]|"")*)("(\*?)|$)|([^\s"]\S*)?)/gy

/** Splits a query into its terms. Every character but the spaces between terms is in one of them. */
export function splitQuery(query: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = skipSpace(query, 0); at < query.length; at = skipSpace(query, TERM.lastIndex)) {
    TERM.lastIndex = at
    const [source = '', minus, key = null, comparison = null, quoted, end, star, bare = ''] = TERM.exec(query) ?? []
    if (source === '') {
      TERM.lastIndex = at + 1
      continue
    }
    const isQuoted = quoted !== undefined
    const isStart = isQuoted ? star === '*' : bare.endsWith('*')
    tokens.push({
      at,
      source,
      key,
      isNegated: minus !== undefined,
      comparison: comparison as Token['comparison'],
      value: isQuoted ? quoted.replaceAll('""', '"') : isStart ? bare.slice(0, -1) : bare,
      isQuoted,
      isClosed: !isQuoted || end !== '',
      isStart,
    })
  }
  return tokens
}

function skipSpace(query: string, from: number): number {
  let at = from
  while (/\s/.test(query[at] ?? '')) at += 1
  return at
}
