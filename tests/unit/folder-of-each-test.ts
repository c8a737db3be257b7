import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

/** A new folder for each test of a file, removed after the test. */
export function folderOfEachTest(): { readonly path: string } {
  const folder = { path: '' }
  beforeEach(() => {
    folder.path = mkdtempSync(join(tmpdir(), 'waystation-test-'))
  })
  afterEach(() => rmSync(folder.path, { recursive: true, force: true }))
  return folder
}
