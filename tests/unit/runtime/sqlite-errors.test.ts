import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { build } from 'esbuild'
import { afterAll, describe, expect, it } from 'vitest'
import {
  codeOf,
  explainStop,
  isDamage,
  isDiskFull,
  isLocked,
  isReadOnly,
} from '../../../collector/runtime/sqlite-errors'
import { fromPlainError, startThread, type ThreadHandle, toPlainError } from '../../../collector/runtime/thread-call'
import { removeFolders, temporaryFolder } from '../spool/in-process-spool'

afterAll(removeFolders)

const ROOT = join(import.meta.dirname, '..', '..', '..')

const newPath = (): string => join(temporaryFolder(), 'test.db')

/** The error that the work throws. */
function thrownBy(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('the work threw no error')
}

function filled(path = newPath()): string {
  const db = new Database(path)
  db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(20000))')
  db.close()
  return path
}

function fullDatabase(): Error {
  const db = new Database(filled())
  db.pragma('max_page_count = 6')
  return thrownBy(() => db.exec('INSERT INTO t VALUES (zeroblob(100000))'))
}

function corruptDatabase(): Error {
  const path = filled()
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(4096, 0xab), 0, 4096, 4096)
  closeSync(file)
  const db = new Database(path)
  return thrownBy(() => db.prepare('SELECT * FROM t').all())
}

function notADatabase(): Error {
  const path = newPath()
  writeFileSync(path, 'these are other bytes. '.repeat(400))
  return thrownBy(() => new Database(path).prepare('SELECT * FROM sqlite_schema').all())
}

function corruptFullTextIndex(): Error {
  const db = new Database(newPath())
  db.unsafeMode(true)
  db.exec('CREATE VIRTUAL TABLE t USING fts5(x)')
  const insert = db.prepare('INSERT INTO t VALUES (?)')
  for (let n = 0; n < 1000; n += 1) insert.run(`word${n} common`)
  db.exec('UPDATE t_data SET block = zeroblob(length(block)) WHERE id > 10')
  return thrownBy(() => db.prepare("SELECT * FROM t WHERE t MATCH 'common'").all())
}

function readOnlyDatabase(): Error {
  const db = new Database(filled(), { readonly: true })
  return thrownBy(() => db.exec('CREATE TABLE u (x)'))
}

function folderInPlaceOfDatabase(): Error {
  const path = newPath()
  mkdirSync(path)
  return thrownBy(() => new Database(path))
}

function lockedDatabase(): Error {
  const path = filled()
  new Database(path).exec('BEGIN EXCLUSIVE')
  const other = new Database(path, { timeout: 0 })
  return thrownBy(() => other.exec('CREATE TABLE u (x)'))
}

const kindsOf = (error: unknown): readonly string[] =>
  Object.entries({ isDiskFull, isReadOnly, isLocked, isDamage })
    .filter(([, is]) => is(error))
    .map(([name]) => name)

describe.each([
  ['a database at its maximum size', fullDatabase, 'SQLITE_FULL', 'isDiskFull'],
  ['a file with an overwritten page', corruptDatabase, 'SQLITE_CORRUPT', 'isDamage'],
  ['a file that is no database', notADatabase, 'SQLITE_NOTADB', 'isDamage'],
  ['a damaged full-text index', corruptFullTextIndex, 'SQLITE_CORRUPT_VTAB', 'isDamage'],
  ['a database that was opened read-only', readOnlyDatabase, 'SQLITE_READONLY', 'isReadOnly'],
  ['a folder in place of the file', folderInPlaceOfDatabase, 'SQLITE_CANTOPEN', 'isReadOnly'],
  ['a database that another connection locks', lockedDatabase, 'SQLITE_BUSY', 'isLocked'],
])('the error of %s', (_name, fail, code, kind) => {
  const error = fail()

  it(`has the code ${code} and is recognised by it`, () => {
    expect(codeOf(error)).toBe(code)
    expect(kindsOf(error)).toEqual([kind])
  })

  it('is recognised after it crossed between threads', () => {
    const crossed = fromPlainError(structuredClone(toPlainError(error)))
    expect([crossed.name, crossed.message, codeOf(crossed)]).toEqual([error.name, error.message, code])
    expect(kindsOf(crossed)).toEqual([kind])
  })

  it('gets advice when it stops the collector', () => {
    expect(explainStop(error, '/data', false)).toMatch(/\/data/)
  })

  it('gets no advice to save a mirror, which can be made again', () => {
    const advice = explainStop(error, '/data', true)
    expect(advice).toMatch(/\/data/)
    expect(advice).not.toContain('salvage')
    if (kind === 'isDamage') expect(advice).toContain('it is a mirror of the shared record, so delete the folder /data')
  })
})

it.each([
  ['SQLITE_IOERR_WRITE', ['isDiskFull']],
  ['SQLITE_IOERR_CORRUPTFS', ['isDamage']],
  ['SQLITE_BUSY_SNAPSHOT', ['isLocked']],
  ['SQLITE_READONLY_DBMOVED', ['isReadOnly']],
  ['ENOSPC', ['isDiskFull']],
  ['EDQUOT', ['isDiskFull']],
  ['EROFS', ['isReadOnly']],
  ['EACCES', ['isReadOnly']],
  ['SQLITE_FULLER', []],
  ['SQLITE_CONSTRAINT', []],
])('recognises the code %s as %s', (code, kinds) => {
  expect(kindsOf(Object.assign(new Error('any message'), { code }))).toEqual(kinds)
})

it('recognises no error by its message', () => {
  const messages = [
    'database or disk is full',
    'disk I/O error',
    'database disk image is malformed',
    'ENOSPC, readonly',
  ]
  expect(messages.flatMap((message) => kindsOf(new Error(message)))).toEqual([])
})

describe('an error in a worker thread', () => {
  /** A thread whose methods fail in SQLite. Worker threads of Node 20 load no TypeScript, so it is bundled. */
  async function startFailing(onDeath: (error: Error) => void = () => undefined): Promise<ThreadHandle> {
    const folder = temporaryFolder()
    const outfile = join(folder, 'failing-thread.mjs')
    await build({
      stdin: {
        contents: `
          import { createRequire } from 'node:module'
          import { answerCalls, threadPort } from './collector/runtime/thread-call'
          const Database = createRequire(${JSON.stringify(join(ROOT, 'package.json'))})('better-sqlite3')
          const full = () => {
            const db = new Database(':memory:')
            db.pragma('max_page_count = 2')
            db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000))')
          }
          const damaged = () => new Database(${JSON.stringify(filledWithOtherBytes(folder))}).prepare('SELECT * FROM t').all()
          answerCalls(threadPort(), { full, damaged, dieLater: () => void setImmediate(full) }, () => undefined)`,
        resolveDir: ROOT,
        loader: 'ts',
      },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
    })
    return startThread({ entry: pathToFileURL(outfile), data: null, onDeath })
  }

  function filledWithOtherBytes(folder: string): string {
    const path = join(folder, 'other.db')
    writeFileSync(path, 'these are other bytes. '.repeat(400))
    return path
  }

  it('rejects the call with its name, message and code', async () => {
    const thread = await startFailing()
    const error = await thread.call('full').catch((caught: unknown) => caught)
    expect(error).toMatchObject({ name: 'SqliteError', message: 'database or disk is full', code: 'SQLITE_FULL' })
    expect(kindsOf(error)).toEqual(['isDiskFull'])
    await thread.stop()
  })

  it('an error that reports damage ends the process that started the thread', async () => {
    const deaths: Error[] = []
    const thread = await startFailing((error) => deaths.push(error))
    await expect(thread.call('damaged')).rejects.toMatchObject({ code: 'SQLITE_NOTADB' })
    expect(deaths.map(kindsOf)).toEqual([['isDamage']])
    await thread.stop()
  })

  it('an error that no call awaits keeps its code', async () => {
    let die: (error: Error) => void = () => undefined
    const death = new Promise<Error>((resolve) => {
      die = resolve
    })
    const thread = await startFailing((error) => die(error))
    // The thread may die before it answers.
    void thread.call('dieLater').catch(() => undefined)
    expect(kindsOf(await death)).toEqual(['isDiskFull'])
  })
})
