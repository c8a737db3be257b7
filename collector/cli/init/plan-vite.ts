import { findScript, ownFile, type Plan, type Setup } from './own-files'
import { type Planned, plannedFile } from './planned-file'
import { packageVersion } from './project'

/** SDKs for browsers, the one of the docs last; an app that has another one keeps it. */
const SDKS = ['@sentry/react', '@sentry/vue', '@sentry/svelte', '@sentry/solid', '@sentry/browser'] as const
const [OLDEST, NEWEST] = [8, 11]

/** The text of `src/sentry.js`. `dataCollection` exists from SDK 11 on; older ones send no IP addresses. */
export const viteBrowser = (dsn: string, sdk: string, major: number): string => `import * as Sentry from '${sdk}'

Sentry.init({
  dsn: '${dsn}',
  tunnel: '/tunnel',
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 1,
${major >= 11 ? '  dataCollection: { userInfo: false },\n' : ''}  // Names the page load: only then can be judged whether it obeys rate limits.
  transportOptions: { headers: { 'x-waystation-page': Math.random().toString(36).slice(2) } },
})
`

/** The address of the collector as an expression in a configuration. @param hasProcess types of Node are there, or not needed */
const target = (dsn: string, hasProcess: boolean): string =>
  `${hasProcess ? 'process.env.WAYSTATION_COLLECTOR_URL ?? ' : ''}'${new URL(dsn).origin}'`

/** The option of Vite that passes posts of pages on. */
export const viteServer = (dsn: string, hasProcess: boolean): string =>
  `server: { proxy: { '/tunnel': ${target(dsn, hasProcess)} } },`

/** Plans SDK, import and proxy of a Vite app, whose development server passes posts of pages on to the collector. */
export function planVite(setup: Setup): Plan {
  const { project, dsn } = setup
  const sdk = SDKS.find((name) => packageVersion(project, name) !== null) ?? '@sentry/browser'
  const declared = packageVersion(project, sdk)
  const [major] = declared ?? [NEWEST]
  if (major < OLDEST)
    return {
      planned: [
        {
          step: {
            title: `init sets up ${sdk} ${OLDEST} or newer; yours is ${major}. Give the Sentry.init of your pages this option:`,
            paste: `dsn: '${dsn}',\n`,
          },
        },
      ],
      packages: [],
    }
  return {
    planned: [...planEntry(setup, sdk, major), planConfig(setup)],
    packages: declared === null ? [`${sdk}@${NEWEST}`] : [],
  }
}

/** The file with the SDK, and its import in the first script of the page. */
function planEntry(setup: Setup, sdk: string, major: number): readonly Planned[] {
  const { project, dsn } = setup
  const page = project.read('index.html') ?? ''
  const entry = /<script[^>]*\ssrc="\/([^"?]+\.[jt]sx?)"/.exec(page)?.[1] ?? null
  const before = entry === null ? null : project.read(entry)
  const text = viteBrowser(dsn, sdk, major)
  if (entry === null || before === null) {
    const step = {
      title: 'index.html has no script of this app. Run this before all other code of your pages:',
      paste: text,
    }
    return [{ step }]
  }
  const folder = entry.replace(/[^/]*$/, '')
  const isTyped = /\.tsx?$/.test(entry)
  const own = ownFile(setup, [`${folder}sentry.${isTyped ? 'ts' : 'js'}`], text, /tunnel:\s*['"`]\/tunnel['"`]/)
  if ('step' in own) return [own]
  if (/\bSentry\.init\b/.test(before))
    return [
      {
        step: {
          title: `${entry} starts an SDK and is not changed. Give its Sentry.init dsn, tunnel and transportOptions of this:`,
          paste: text,
        },
      },
    ]
  const isImported = /^import ['"]\.\/sentry(?:\.[jt]s)?['"]/m.test(before)
  const end = /^import .*;\s*$/m.test(before) ? ';' : ''
  const quote = /^import [^'\n]*"/m.test(before) ? '"' : "'"
  const line = `import ${quote}./sentry${isTyped ? '' : '.js'}${quote}${end}\n`
  return [own, { file: plannedFile(entry, before, isImported ? before : `${line}${before}`) }]
}

/** The option `server` of a configuration that is one object without it. */
function planConfig(setup: Setup): Planned {
  const { project, dsn, replacesDsn } = setup
  const path = findScript(setup, 'vite.config')
  const before = path === null ? null : project.read(path)
  if (path === null || before === null) {
    const name = `vite.config.${project.manifest?.isModule ? 'js' : 'mjs'}`
    const text = `import { defineConfig } from 'vite'\n\nexport default defineConfig({\n  ${viteServer(dsn, true)}\n})\n`
    return { file: plannedFile(name, null, text) }
  }
  const proxied = /(['"`]\/tunnel['"`].*['"`])https?:\/\/[^'"`/]+(?=['"`])/
  if (/['"`]\/tunnel['"`]/.test(before)) {
    const moved = before.replace(proxied, (_all, start: string) => `${start}${new URL(dsn).origin}`)
    return { file: plannedFile(path, before, replacesDsn ? moved : before) }
  }
  // TypeScript knows `process` only by the types of Node.
  const hasProcess = !path.endsWith('ts') || packageVersion(project, '@types/node') !== null
  const [, indent = null] = /^export default defineConfig\(\{\n([ \t]+)[\s\S]*[^\n]\n\}\);?\s*$/m.exec(before) ?? []
  // Not a function, no option `server`, nothing spread into the object, and no comment at its end.
  const isOther = /=>|\bfunction\b|^[ \t]*(?:server\b|\.\.\.)|\/\/.*\n\}\);?\s*$/m.test(before)
  if (indent === null || isOther)
    return {
      step: {
        title: `${path} has a shape that init does not edit. Add this option to its configuration:`,
        paste: `${viteServer(dsn, hasProcess)}\n`,
      },
    }
  const option = `${indent}${viteServer(dsn, hasProcess)}`
  const after = before.replace(/,?(\n\}\);?\s*)$/, (_all, end: string) => `,\n${option}${end}`)
  return { file: plannedFile(path, before, after) }
}
