import { type Planned, plannedCopy, plannedFile } from './planned-file'
import type { Project } from './project'

/** The facts from which the changes to a project are planned. */
export interface Setup {
  readonly project: Project
  /** The DSN that the SDK gets. */
  readonly dsn: string
  /** True for a DSN that the user named: it replaces the local DSN in files that are set up already. */
  readonly replacesDsn: boolean
  /** The text of the tunnel's file, and where it is copied from, for the reader. */
  readonly tunnel: { readonly text: string; readonly from: string }
}

/** The changes that one framework needs. */
export interface Plan {
  readonly planned: readonly Planned[]
  /** Packages to install, such as `@sentry/node@11`. */
  readonly packages: readonly string[]
}

const SCRIPT = /\.[cm]?[jt]sx?$/
const EXTENSIONS = ['ts', 'tsx', 'mts', 'js', 'jsx', 'mjs', 'cjs']

/** A DSN of a collector on this machine. */
export const LOCAL_DSN = /https?:\/\/[\w-]+@(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\/\d+/g

/** The first file of this name, with any extension of a script. */
export function findScript({ project }: Pick<Setup, 'project'>, path: string): string | null {
  const stem = path.replace(SCRIPT, '')
  return EXTENSIONS.map((extension) => `${stem}.${extension}`).find(project.has) ?? null
}

/** Files of the set-up that contain the DSN. */
const WITH_DSN = ['instrumentation-client', 'sentry.client.config', 'sentry', 'instrument', 'instrumentation'].flatMap(
  (name) => [`${name}.js`, `src/${name}.js`],
)

/** The local DSN of a project that is set up already; `null` for another project. */
export function dsnInUse(project: Project): string | null {
  const found = WITH_DSN.flatMap((path) => findScript({ project }, path) ?? [])
  return found.flatMap((path) => project.read(path)?.match(LOCAL_DSN) ?? [])[0] ?? null
}

/**
 * Plans a file that the set-up adds. An existing one that is not ours is left to the user.
 * @param paths the file to write, then others that may contain the same set-up
 * @param isDone matches the text of a file that is set up, however it is written otherwise
 */
export function ownFile(setup: Setup, paths: readonly [string, ...string[]], text: string, isDone: RegExp): Planned {
  const { project, dsn, replacesDsn } = setup
  const found = paths.flatMap((path) => findScript(setup, path) ?? [])
  const path = found.find((one) => isDone.test(project.read(one) ?? '')) ?? found[0]
  const before = path === undefined ? null : project.read(path)
  if (path === undefined || before === null) return { file: plannedFile(paths[0], null, text) }
  if (isDone.test(before))
    return { file: plannedFile(path, before, replacesDsn ? before.replaceAll(LOCAL_DSN, dsn) : before) }
  return {
    step: { title: `${path} exists and is not changed. Add to it the part of this text that it lacks:`, paste: text },
  }
}

/** The name of the tunnel's file in a project. */
export const TUNNEL_FILE = 'waystation-tunnel.mjs'
/** The folder of the tunnel's envelopes, as a line of .gitignore. */
const LIFEBOAT = '.lifeboat/'

/** Plans the file of the tunnel, and the line of .gitignore for its folder. @param folder empty, or with its slash at the end */
export function tunnelFiles({ project, tunnel }: Setup, folder: string): Plan['planned'] {
  const path = `${folder}${TUNNEL_FILE}`
  const copy = { file: plannedCopy(path, project.read(path), tunnel.text, tunnel.from) }
  const ignored = project.read('.gitignore')
  if (ignored === null && !project.usesGit) return [copy]
  const isIgnored = (ignored ?? '').split('\n').some((line) => /^\/?\.lifeboat\/?$/.test(line.trim()))
  const start = ignored === null || ignored === '' || ignored.endsWith('\n') ? (ignored ?? '') : `${ignored}\n`
  return [copy, { file: plannedFile('.gitignore', ignored, isIgnored ? (ignored ?? '') : `${start}${LIFEBOAT}\n`) }]
}
