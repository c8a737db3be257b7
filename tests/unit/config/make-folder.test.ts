import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder } from '../../../lib/config/folders'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waystation-make-'))
})
afterEach(() => rmSync(root, { recursive: true }))

describe('makeFolder', () => {
  it('creates missing parents for the owner only, and returns the first', () => {
    expect(makeFolder(join(root, 'a', 'b', 'c'))).toBe(join(root, 'a'))
    expect(['a', 'a/b', 'a/b/c'].map((path) => statSync(join(root, path)).mode & 0o777)).toEqual([0o700, 0o700, 0o700])
  })

  it('keeps an existing folder or link', () => {
    symlinkSync(root, join(root, 'link'))
    expect([makeFolder(root), makeFolder(join(root, 'link')), makeFolder('/')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('keeps a new .waystation out of git, and leaves an existing one as it is', () => {
    makeFolder(join(root, 'new', '.waystation', 'runs'))
    expect(readFileSync(join(root, 'new/.waystation/.gitignore'), 'utf8')).toBe('*\n')
    mkdirSync(join(root, '.waystation'))
    makeFolder(join(root, '.waystation', 'runs'))
    expect(readdirSync(join(root, '.waystation'))).toEqual(['runs'])
  })

  it('throws when the path or a parent is a file', () => {
    writeFileSync(join(root, 'file'), '')
    symlinkSync(join(root, 'nowhere'), join(root, 'dangling'))
    expect(() => makeFolder(join(root, 'file'))).toThrow('EEXIST')
    expect(() => makeFolder(join(root, 'file', 'a', 'b'))).toThrow('ENOTDIR')
    expect(() => makeFolder(join(root, 'dangling', 'a'))).toThrow('EEXIST')
  })

  it('throws at once on a file system without new folders', () => {
    expect(() => makeFolder('/proc/rec/a')).toThrow(`mkdir '/proc`)
  })
})
