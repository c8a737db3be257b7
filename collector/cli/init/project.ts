import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from '../../../lib/protocol/json-value'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { hasCode } from '../../launch/processes.js'

/** The parts of a package.json that decide the set-up. */
export interface Manifest {
  readonly isModule: boolean
  readonly main: string | null
  readonly scripts: Readonly<Record<string, string>>
  /** Name and declared range of every dependency, development ones too. */
  readonly packages: Readonly<Record<string, string>>
  readonly workspaces: readonly string[]
}

/** A project as plans read it; paths are relative to it. */
export interface Project {
  /** `null` where there is no file. */
  readonly read: (path: string) => string | null
  /** A file or a folder. */
  readonly has: (path: string) => boolean
  /** `null` without a package.json. */
  readonly manifest: Manifest | null
  readonly packageManager: PackageManager
  readonly usesGit: boolean
}

/** The frameworks that init sets up. */
export type Framework = 'next' | 'vite' | 'express' | 'hono' | 'python' | 'go'

const PYTHON_MANIFESTS = ['pyproject.toml', 'requirements.txt', 'Pipfile']

/** Each framework whose package is declared, or whose manifest is there. Next and a server serve their own pages. */
export function detectFrameworks({ manifest, has }: Pick<Project, 'manifest' | 'has'>): readonly Framework[] {
  const declares = (name: string): boolean => manifest !== null && Object.hasOwn(manifest.packages, name)
  const others: readonly Framework[] = [
    ...(PYTHON_MANIFESTS.some(has) ? ['python' as const] : []),
    ...(has('go.mod') ? ['go' as const] : []),
  ]
  if (declares('next')) return ['next', ...others]
  const named = (['vite', 'express', 'hono'] as const).filter(declares)
  return [...named, ...others]
}

/** Says that nothing was found, and names every manifest and package that was looked for. */
export function nothingDetected(folder: string, { manifest }: Pick<Project, 'manifest'>): string {
  const { workspaces = [] } = manifest ?? {}
  const hint =
    workspaces.length === 0
      ? 'the folder of your app'
      : `the folder of one of its workspaces (${workspaces.join(', ')})`
  return `${folder} has no framework that init sets up: it looked for next, vite, express and hono in package.json, ${PYTHON_MANIFESTS.join(', ')} and go.mod. Run init in ${hint}. Every other program needs only the local DSN in its Sentry SDK.`
}

/** Major and minor version of a declared range such as `^10.2.0`; `null` for one without a number, such as `latest`. */
export function versionOf(range: string): readonly [major: number, minor: number] | null {
  const found = /(\d+)(?:\.(\d+))?/.exec(range)
  return found === null ? null : [Number(found[1]), Number(found[2] ?? 0)]
}

/** The version of a package: the installed one, else the declared one. `null` when it is not declared. */
export function packageVersion(
  { read, manifest }: Pick<Project, 'read' | 'manifest'>,
  name: string,
): readonly [major: number, minor: number] | null {
  const range = manifest?.packages[name]
  if (range === undefined) return null
  const installed = parseObject(read(`node_modules/${name}/package.json`) ?? '{}')
  const version = installed.ok ? installed.value.version : undefined
  return versionOf(typeof version === 'string' ? version : range)
}

export interface PackageManager {
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun'
  /** The words of the command that adds packages. */
  readonly add: readonly string[]
}

const LOCK_FILES = [
  ['package-lock.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
] as const

/** Reads a project. The lock file and the repository may be those of a folder above it. @returns why package.json cannot be read */
export function openProject(folder: string): Result<Project, string> {
  const read = (path: string): string | null => readText(join(folder, path))
  const text = read('package.json')
  const manifest = text === null ? null : parseManifest(text)
  if (manifest !== null && !manifest.ok) return fail(`${join(folder, 'package.json')} is ${manifest.error}`)
  const folders = foldersOfRepository(folder)
  const locked = folders.flatMap((one) => LOCK_FILES.filter(([file]) => existsSync(join(one, file))))
  const name = locked[0]?.[1] ?? 'npm'
  return succeed({
    read,
    has: (path) => existsSync(join(folder, path)),
    manifest: manifest?.value ?? null,
    packageManager: { name, add: [name, name === 'npm' ? 'install' : 'add'] },
    usesGit: folders.some((one) => existsSync(join(one, '.git'))),
  })
}

/** @returns why the text is no manifest, as the end of a sentence */
export function parseManifest(text: string): Result<Manifest, string> {
  const parsed = parseObject(text)
  if (!parsed.ok) return parsed
  const { type, main, scripts, dependencies, devDependencies, workspaces } = parsed.value
  return succeed({
    isModule: type === 'module',
    main: typeof main === 'string' ? main : null,
    scripts: textsOf(scripts),
    packages: { ...textsOf(devDependencies), ...textsOf(dependencies) },
    workspaces: Array.isArray(workspaces) ? workspaces.map(String) : [],
  })
}

/** @returns why the text is no JSON object, as the end of a sentence */
export function parseObject(text: string): Result<Readonly<Record<string, unknown>>, string> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? succeed(value) : fail('no JSON object')
  } catch (error) {
    return fail(`no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, text]] : [],
    ),
  )

/** @returns `null` where there is no file */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return null
    throw error
  }
}

/** The folder, and those above it up to the root of its repository; only the folder outside of a repository. */
function foldersOfRepository(folder: string): readonly string[] {
  const folders: string[] = []
  for (let one = folder; ; one = dirname(one)) {
    folders.push(one)
    if (existsSync(join(one, '.git'))) return folders
    if (one === dirname(one)) return [folder]
  }
}
