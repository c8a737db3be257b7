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

const prepared = new WeakMap<Database, Map<string, Statement>>()

/**
 * A statement that is asked again and again, prepared when it is asked first: preparing takes as long as many a read.
 * @param sql of a few only: what has a user's words in it would be kept for as long as the connection.
 */
export function prepareOnce(db: Database, sql: string): Statement {
  const statements = prepared.get(db) ?? new Map<string, Statement>()
  prepared.set(db, statements)
  const known = statements.get(sql) ?? db.prepare(sql)
  statements.set(sql, known)
  return known
}
