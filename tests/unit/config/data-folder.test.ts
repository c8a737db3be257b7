import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { dataFolder } from '../../../lib/config/folders'

const root = mkdtempSync(join(tmpdir(), 'waystation-folder-'))
const inside = join(root, 'package', 'src', 'deep')
mkdirSync(inside, { recursive: true })
writeFileSync(join(root, 'package', 'package.json'), '{}')
afterAll(() => rmSync(root, { recursive: true }))

describe('dataFolder', () => {
  it('is next to the nearest package.json', () => {
    expect(dataFolder(null, inside)).toBe(join(root, 'package', '.waystation'))
  })

  it('is next to a package.json in the start folder', () => {
    expect(dataFolder(null, join(root, 'package'))).toBe(join(root, 'package', '.waystation'))
  })

  it('keeps an absolute path', () => {
    expect(dataFolder('/var/way', inside)).toBe('/var/way')
  })

  it('resolves a relative path from the start folder', () => {
    expect(dataFolder('../data', inside)).toBe(join(root, 'package', 'src', 'data'))
  })

  it('is in the start folder when no parent has a package.json', () => {
    expect(dataFolder(null, '/')).toBe('/.waystation')
  })
})
