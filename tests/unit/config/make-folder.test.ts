import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../lib/config/folders'
import { folderOfEachTest } from '../folder-of-each-test'

const root = folderOfEachTest()

describe('makeFolder', () => {
  it('creates missing parents for the owner only, and returns the first', () => {
    expect(makeFolder(join(root.path, 'a', 'b', 'c'))).toBe(join(root.path, 'a'))
    expect(['a', 'a/b', 'a/b/c'].map((path) => statSync(join(root.path, path)).mode & 0o777)).toEqual([
      0o700, 0o700, 0o700,
    ])
  })

  it('keeps an existing folder or link', () => {
    symlinkSync(root.path, join(root.path, 'link'))
    expect([makeFolder(root.path), makeFolder(join(root.path, 'link')), makeFolder('/')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('keeps a new .waystation out of git, and leaves an existing one as it is', () => {
    makeFolder(join(root.path, 'new', '.waystation', 'runs'))
    expect(readFileSync(join(root.path, 'new/.waystation/.gitignore'), 'utf8')).toBe('*\n')
    mkdirSync(join(root.path, '.waystation'))
    makeFolder(join(root.path, '.waystation', 'runs'))
    expect(readdirSync(join(root.path, '.waystation'))).toEqual(['runs'])
  })

  it('throws when the path or a parent is a file', () => {
    writeFileSync(join(root.path, 'file'), '')
    symlinkSync(join(root.path, 'nowhere'), join(root.path, 'dangling'))
    expect(() => makeFolder(join(root.path, 'file'))).toThrow('EEXIST')
    expect(() => makeFolder(join(root.path, 'file', 'a', 'b'))).toThrow('ENOTDIR')
    expect(() => makeFolder(join(root.path, 'dangling', 'a'))).toThrow('EEXIST')
  })

  it('throws at once on a file system without new folders', () => {
    expect(() => makeFolder('/proc/rec/a')).toThrow(`mkdir '/proc`)
  })
})
