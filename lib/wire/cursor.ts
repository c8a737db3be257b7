/**
 * The journal number down to which a page of a list has looked: every row above it that belongs on the page, or on one
 * before it, was given. Of a full page it is the last row's; a page that ended early looked further than its rows reach.
 * `null` when the text is no cursor.
 */
export function journalOfCursor(cursor: string): number | null {
  const found = /^(\d{1,15})-/.exec(cursor)
  return found === null ? null : Number(found[1])
}
