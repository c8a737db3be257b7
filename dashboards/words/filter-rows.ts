/**
 * The rows in whose text every word of the filter occurs, in any order and case; all of them when there is no word.
 * @param textsOf what of a row can be searched for; `null` for what it does not have.
 */
export function filterRows<Row>(
  rows: readonly Row[],
  filter: string,
  textsOf: (row: Row) => readonly (string | null)[],
): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((row) => {
    const text = textsOf(row)
      .filter((part) => part !== null)
      .join('\n')
      .toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
