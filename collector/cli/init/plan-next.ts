import {
  configModule,
  configOptions,
  type Language,
  nextBrowser,
  nextServer,
  tunnelRoute,
  type Version,
} from './next-files'
import { findScript, ownFile, type Plan, type Setup, tunnelFiles } from './own-files'
import { type Planned, plannedFile } from './planned-file'
import { packageVersion } from './project'

const SDK = '@sentry/nextjs'
/** SDK versions with a set-up of their own. */
const [OLDEST, NEWEST] = [7, 11]
/** Route handlers need no option of the configuration from this version on. */
const OLDEST_NEXT: Version = [13, 4]

/** Plans tunnel, SDK and configuration of a Next app, for its router and for the version of its SDK. */
export function planNext(setup: Setup): Plan {
  const { project, dsn } = setup
  const next = packageVersion(project, 'next')
  if (next !== null && (next[0] < OLDEST_NEXT[0] || (next[0] === OLDEST_NEXT[0] && next[1] < OLDEST_NEXT[1])))
    return { planned: [tooOld('next', next, OLDEST_NEXT.join('.'), dsn)], packages: [] }
  const declared = packageVersion(project, SDK)
  const version: Version = declared ?? [NEWEST, 0]
  if (version[0] < OLDEST) return { planned: [tooOld(SDK, version, String(OLDEST), dsn)], packages: [] }

  const language: Language = project.has('tsconfig.json') ? 'ts' : 'js'
  const folder =
    !project.has('app') && !project.has('pages') && (project.has('src/app') || project.has('src/pages')) ? 'src/' : ''
  // SDKs before 9 look for their files in the root only.
  const browser = [`${folder}instrumentation-client`, 'sentry.client.config'] as const
  const server = [`${folder}instrumentation`, 'sentry.server.config'] as const
  return {
    planned: [
      ...tunnelFiles(setup, folder),
      ownFile(setup, [`${folder}app/tunnel/route.${language}`], tunnelRoute(dsn, language), /localTunnel/),
      ownFile(
        setup,
        inOrder(browser, version[0] < 9, language),
        nextBrowser(dsn, version),
        /tunnel:\s*['"`]\/tunnel['"`]/,
      ),
      ownFile(setup, inOrder(server, version[0] < 8, language), nextServer(dsn, version, language), /\/tunnel/),
      planConfig(setup, version),
      ...proxySteps(setup, folder),
    ],
    packages: declared === null ? [`${SDK}@${NEWEST}`] : [],
  }
}

/** The file that an SDK reads, then the one that older or newer versions read. */
const inOrder = (
  [newer, older]: readonly [string, string],
  isOlder: boolean,
  language: Language,
): readonly [string, string] =>
  isOlder ? [`${older}.${language}`, `${newer}.${language}`] : [`${newer}.${language}`, `${older}.${language}`]

const tooOld = (name: string, version: Version, oldest: string, dsn: string): Planned => ({
  step: {
    title: `The set-up of a tunnel needs ${name} ${oldest} or newer; yours is ${version.join('.')}. Without a tunnel, your SDK needs only the local DSN:`,
    paste: `${dsn}\n`,
  },
})

/** Wraps the exported configuration, where the file exports a name; `productionBrowserSourceMaps` publishes source code and stays out. */
function planConfig(setup: Setup, version: Version): Planned {
  const { project } = setup
  const path = findScript(setup, 'next.config')
  const before = path === null ? null : project.read(path)
  const wrap = (config: string): string => `withSentryConfig(${config}, ${configOptions(version)})`
  const importing = `import { withSentryConfig } from '${configModule(version)}'`
  if (path === null || before === null)
    return { file: plannedFile('next.config.mjs', null, `${importing}\n\nexport default ${wrap('{}')}\n`) }
  if (/withSentryConfig/.test(before)) return { file: plannedFile(path, before, before) }

  const exported = [...before.matchAll(/^(export default |module\.exports = )([A-Za-z_$][\w$]*)(;?)[ \t]*$/gm)]
  const [only, ...others] = exported
  if (only === undefined || others.length > 0)
    return {
      step: {
        title: `${path} has a shape that init does not edit. Import this, and wrap your configuration:`,
        paste: `${importing}\n\nexport default ${wrap('yourConfig')}\n`,
      },
    }
  const [line, start = '', name = '', end = ''] = only
  const first =
    start === 'export default '
      ? `${importing}${end}\n`
      : `const { withSentryConfig } = require('${configModule(version)}')${end}\n\n`
  // `// @ts-check` has an effect only before all code.
  const [comments = ''] = /^(?:\/\/.*\n)*/.exec(before) ?? []
  const rest = before.slice(comments.length).replace(line, () => `${start}${wrap(name)}${end}`)
  const after = `${comments}${inQuotesOf(before, first)}${rest}`
  return { file: plannedFile(path, before, after) }
}

/** Writes a line with the quotes that the file uses in its imports. */
const inQuotesOf = (file: string, line: string): string =>
  /^import [^'\n]*"/m.test(file) ? line.replaceAll("'", '"') : line

/** Next truncates a body that a proxy read, so the proxy must not match the tunnel. */
function proxySteps(setup: Setup, folder: string): readonly Planned[] {
  const path = findScript(setup, `${folder}proxy`) ?? findScript(setup, `${folder}middleware`)
  if (path === null || /tunnel/.test(setup.project.read(path) ?? '')) return []
  return [
    {
      step: {
        title: `${path} must not match /tunnel: Next truncates a proxied body at 10 MB. Exclude it in the matcher, for example:`,
        paste: `export const config = { matcher: ['/((?!tunnel|_next/static|_next/image|favicon.ico).*)'] }\n`,
      },
    },
  ]
}
