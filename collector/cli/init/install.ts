import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { explainFailure } from '../../launch/explain-failure.js'
import { beginProgress, runStep } from '../../launch/processes.js'
import type { PackageManager } from './project'

/** Some registries lack the version that `@sentry/nextjs` requires. Next does not use this package. */
const MISSING = '@sentry/cloudflare'
/** The words after `npm` that let it install an older one. */
const OVERRIDE = ['pkg', 'set', `overrides.${MISSING}=11.0.0`]

/** The line that announces the override. @param command the words of the installation */
export const overrideNote = ([program, ...words]: readonly string[]): readonly string[] =>
  program === 'npm' && words.some((word) => word.startsWith('@sentry/nextjs@'))
    ? [`         if the registry lacks its ${MISSING}: npm ${OVERRIDE.join(' ')}`]
    : []

/** Settings of the npx that runs this command; they are not those of the project. */
const OF_NPX = /^npm_config_(?:package|call|local_prefix|allow_scripts|yes)$/i

/**
 * Installs packages with the package manager of the project. If npm finds no matching `@sentry/cloudflare`, it sets the
 * override and installs again.
 * @param args the words of the whole command, such as `npm install @sentry/node@11`
 * @returns why it failed, with its log; `null` after a stop
 */
export async function installPackages(
  { name }: PackageManager,
  args: readonly string[],
  {
    folder,
    environment,
    stop,
  }: { readonly folder: string; readonly environment: NodeJS.ProcessEnv; readonly stop: AbortSignal },
): Promise<Result<null, string | null>> {
  const logs = mkdtempSync(join(tmpdir(), 'waystation-init-'))
  const logFile = join(logs, 'install.log')
  const env = { ...environment }
  for (const variable of Object.keys(env)) if (OF_NPX.test(variable)) delete env[variable]
  const run = async (words: readonly string[]) => {
    const finish = beginProgress(words.join(' '))
    const [program, ...rest] = words
    const end = await runStep({ ...(program && { program }), args: rest, cwd: folder, env, logFile, stop })
    finish(end.ended === 'done' ? 'Done' : 'Not done')
    return end
  }
  let end = await run(args)
  if (end.ended === 'failed' && name === 'npm' && isMissing(end.log)) {
    console.log(`The registry lacks the ${MISSING} that @sentry/nextjs requires. Next does not use it.`)
    end = await run(['npm', ...OVERRIDE])
    if (end.ended === 'done') end = await run(args)
  }
  if (end.ended === 'failed') {
    const log = end.log === '' ? readFileSync(logFile, 'utf8') : end.log
    return fail(`${explainFailure(log)}. The whole log is ${logFile}.`)
  }
  rmSync(logs, { recursive: true, force: true })
  return end.ended === 'done' ? succeed(null) : fail(null)
}

const isMissing = (log: string): boolean => /\bETARGET\b/.test(log) && log.includes(MISSING)
