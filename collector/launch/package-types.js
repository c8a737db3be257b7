import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { PACKAGE_ENTRIES } from './bundle-package.js'

/**
 * Declarations of what another project imports, and of all that they refer to.
 * @param {string} root
 * @param {string} outdir
 */
export function emitPackageTypes(root, outdir) {
  const project = join(root, '.build/package-types.json')
  mkdirSync(dirname(project), { recursive: true })
  writeFileSync(project, JSON.stringify(projectOf(root, outdir)))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const made = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`the declarations cannot be made:\n${made.stdout}${made.stderr}`)
  for (const path of readdirSync(outdir, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.d.ts')) continue
    const file = join(outdir, path)
    writeFileSync(file, withExtensions(readFileSync(file, 'utf8')))
  }
}

/**
 * @param {string} root
 * @param {string} outdir
 */
const projectOf = (root, outdir) => ({
  extends: '../tsconfig.json',
  compilerOptions: {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    incremental: false,
    rootDir: root,
    outDir: outdir,
    plugins: [],
  },
  include: [],
  exclude: [],
  files: Object.values(PACKAGE_ENTRIES)
    .filter((path) => existsSync(join(root, path)))
    .map((path) => relative(join(root, '.build'), join(root, path))),
})

const RELATIVE = /(\bfrom\s+|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+?)(?:\.js)?\2/g

/**
 * Node's way to find a module, which types follow, knows files by their whole name.
 * @param {string} declarations
 * @returns {string}
 */
export const withExtensions = (declarations) =>
  declarations.replaceAll(RELATIVE, (_all, before, quote, path) => `${before}${quote}${path}.js${quote}`)
