/*
 * `npm pack` runs this first: it makes dist/, which is what another project gets. Plain JavaScript, because it makes
 * what the TypeScript around it becomes.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packagedCollectorOptions, packagedEntryOptions } from './bundle-package.js'
import { emitPackageTypes } from './package-types.js'
import { thirdPartyNotice } from './third-party.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DIST = join(ROOT, 'dist')

const { build } = await import('esbuild')
rmSync(DIST, { recursive: true, force: true })
const made = [await build(packagedCollectorOptions(ROOT, DIST)), await build(packagedEntryOptions(ROOT, DIST))]
const inputs = made.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
writeFileSync(join(DIST, 'THIRD-PARTY.txt'), thirdPartyNotice(ROOT, inputs))
emitPackageTypes(ROOT, join(DIST, 'types'))
