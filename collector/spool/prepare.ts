import type { Database, Statement } from 'better-sqlite3'

/** Prepares a set of statements under the names they have. */
export function prepareAll<Name extends string>(
  db: Database,
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, Statement>> {
  return Object.fromEntries((Object.keys(texts) as Name[]).map((name) => [name, db.prepare(texts[name])])) as Record<
    Name,
    Statement
  >
}
