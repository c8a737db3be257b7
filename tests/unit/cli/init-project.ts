import type { Plan, Setup } from '../../../collector/cli/init/own-files'
import { planFrameworks } from '../../../collector/cli/init/plan'
import { detectFrameworks, type Framework, type Project, parseManifest } from '../../../collector/cli/init/project'

export const DSN = 'http://local@127.0.0.1:8969/1'
export type Files = Readonly<Record<string, string>>

/** A project in memory. A name that ends in `/` is a folder. */
export function projectOf(files: Files): Project {
  const read = (path: string): string | null => files[path] ?? null
  const parsed = files['package.json'] === undefined ? null : parseManifest(files['package.json'])
  if (parsed !== null && !parsed.ok) throw new Error(parsed.error)
  return {
    read,
    has: (path) => Object.keys(files).some((one) => one === path || one.startsWith(`${path}/`)),
    manifest: parsed?.value ?? null,
    packageManager: { name: 'npm', add: ['npm', 'install'] },
    usesGit: false,
  }
}

export const setupOf = (files: Files, given: Partial<Setup> = {}): Setup => ({
  project: projectOf(files),
  dsn: DSN,
  replacesDsn: false,
  tunnel: { text: 'the tunnel\n', from: 'tunnel.mjs' },
  ...given,
})

/** The plan of a project, and its files afterwards. */
export function planned(files: Files, given: Partial<Setup> = {}) {
  const setup = setupOf(files, given)
  const frameworks: readonly Framework[] = detectFrameworks(setup.project)
  const plan = planFrameworks(setup, frameworks)
  return {
    ...plan,
    frameworks,
    changes: changesOf(plan),
    steps: stepsOf(plan),
    after: { ...files, ...changesOf(plan) },
  }
}

/** The texts of the files that change. */
const changesOf = ({ planned: all }: Plan): Files =>
  Object.fromEntries(
    all.flatMap((one) =>
      'file' in one && one.file.before !== one.file.after ? [[one.file.path, one.file.after]] : [],
    ),
  )

const stepsOf = ({ planned: all }: Plan) => all.flatMap((one) => ('step' in one ? [one.step] : []))
