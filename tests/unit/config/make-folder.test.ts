import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder } from '../../../lib/config/make-folder'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waystation-make-'))
})
afterEach(() => rmSync(root, { recursive: true }))

describe('a folder', () => {
  it('is made with those above it, for its owner alone, and the first that was made is told', () => {
    expect(makeFolder(join(root, 'a', 'b', 'c'))).toBe(join(root, 'a'))
    expect(['a', 'a/b', 'a/b/c'].map((path) => statSync(join(root, path)).mode & 0o777)).toEqual([0o700, 0o700, 0o700])
  })

  it('that is there stays, by its own name or by a link', () => {
    symlinkSync(root, join(root, 'link'))
    expect([makeFolder(root), makeFolder(join(root, 'link')), makeFolder('/')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('is refused where a file is, or is above it', () => {
    writeFileSync(join(root, 'file'), '')
    symlinkSync(join(root, 'nowhere'), join(root, 'dangling'))
    expect(() => makeFolder(join(root, 'file'))).toThrow('EEXIST')
    expect(() => makeFolder(join(root, 'file', 'a', 'b'))).toThrow('ENOTDIR')
    expect(() => makeFolder(join(root, 'dangling', 'a'))).toThrow('EEXIST')
  })

  it('is refused at once where the file system takes none', () => {
    expect(() => makeFolder('/proc/rec/a')).toThrow(`mkdir '/proc`)
  })
})
