import { spawn } from 'node:child_process'
import { closeSync, cpSync, openSync, readdirSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { newTestFolder, type TestFolder, temporaryFolder } from './test-folder'

/** Overwrites bytes of a file in place. */
export function overwrite(path: string, offset: number, length: number, byte = 0xa5): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(length, byte), 0, length, offset)
  closeSync(file)
}

/** The file offset of a page of a table: a leaf page, or an overflow page of a long row. */
export function pageOf(path: string, table: string, kind: 'leaf' | 'overflow' = 'leaf'): number {
  const db = new Database(path)
  const pages = db
    // For an overflow page, `pgoffset` is the offset of the row's first page.
    .prepare('SELECT (pageno - 1) * pgsize FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path')
    .pluck()
    .all(table, kind) as number[]
  db.close()
  const page = pages[Math.floor(pages.length / 2)]
  if (page === undefined) throw new Error(`${table} has no page`)
  return page
}

export function change(path: string, statement: string): void {
  const db = new Database(path)
  db.exec(statement)
  db.close()
}

/** A copy of a data folder without a running collector. */
export function copyOf(template: TestFolder, program: string): TestFolder {
  const folder = temporaryFolder()
  for (const name of readdirSync(template.folder)) cpSync(template.path(name), join(folder, name), { recursive: true })
  return newTestFolder(program, folder)
}

interface Salvaged {
  readonly code: number | null
  readonly output: string
  readonly target: TestFolder
}

/** Runs `waystation salvage` of a bundle. @param program its collector */
export async function salvage(
  source: TestFolder,
  program: string,
  to = join(temporaryFolder(), 'new'),
): Promise<Salvaged> {
  const file = pathToFileURL(join(dirname(program), 'salvage.js')).href
  const script = `process.exit(await (await import(${JSON.stringify(file)})).command({ words: process.argv.slice(1) }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, 'salvage', source.folder, '--to', to])
  let output = ''
  const note = (chunk: Buffer): void => {
    output += chunk.toString()
  }
  child.stdout.on('data', note)
  child.stderr.on('data', note)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output, target: newTestFolder(program, to) }
}
