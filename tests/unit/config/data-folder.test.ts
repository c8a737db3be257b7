import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { dataFolder } from '../../../lib/config/data-folder'

const root = mkdtempSync(join(tmpdir(), 'waystation-folder-'))
const inside = join(root, 'package', 'src', 'deep')
mkdirSync(inside, { recursive: true })
writeFileSync(join(root, 'package', 'package.json'), '{}')
afterAll(() => rmSync(root, { recursive: true }))

describe('the data folder', () => {
  it('is beside the nearest package.json', () => {
    expect(dataFolder(null, inside)).toBe(join(root, 'package', '.waystation'))
  })

  it('is beside the package.json of this very folder', () => {
    expect(dataFolder(null, join(root, 'package'))).toBe(join(root, 'package', '.waystation'))
  })

  it('is what was given, when that is absolute', () => {
    expect(dataFolder('/var/way', inside)).toBe('/var/way')
  })

  it('is what was given, from where the program was started', () => {
    expect(dataFolder('../data', inside)).toBe(join(root, 'package', 'src', 'data'))
  })

  it('is here where there is no package.json up to the root', () => {
    expect(dataFolder(null, '/')).toBe('/.waystation')
  })
})
