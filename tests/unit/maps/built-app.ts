import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { onTestFinished } from 'vitest'
import type { SentFrame } from '../../../collector/maps/map-frames'

export const BUILT_AT = new Date('2026-11-01T10:00:00Z')
export const SENT_AT = BUILT_AT.getTime() + 60_000

export const CART = `import { call } from 'calls'

function pay(): void {
  throw new Error('declined')
}

call(() => pay())
`

/** A folder of the test. */
export function project(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'maps-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function writeBelow(folder: string, path: string, text: string): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  utimesSync(file, BUILT_AT, BUILT_AT)
  return file
}

/** Bundles a shop with a dependency that calls it back. @param outfile below the folder */
export async function buildShop(folder: string, outfile: string, options: BuildOptions = {}): Promise<string> {
  writeBelow(folder, 'node_modules/calls/index.js', 'export const call = (work) => {\n  work()\n}\n')
  writeBelow(folder, 'app/cart.ts', CART)
  const path = join(folder, outfile)
  const shared = { absWorkingDir: folder, entryPoints: ['app/cart.ts'], bundle: true, format: 'esm' as const }
  await build({ ...shared, minify: true, sourcemap: true, outfile: path, logLevel: 'silent', ...options })
  utimesSync(path, BUILT_AT, BUILT_AT)
  return path
}

/** A frame at a text of a script. */
export function frameAt(script: string, filename: string, text: string, given: Partial<SentFrame> = {}): SentFrame {
  const lines = script.split('\n')
  const line = lines.findIndex((one) => one.includes(text))
  if (line === -1) throw new Error(`${text} is not in ${script}`)
  const column = (lines[line]?.indexOf(text) ?? 0) + 1
  return { filename, function: 'o', line: line + 1, column, inApp: true, contextLine: null, ...given }
}
