import { LOCAL_DSN, type Setup } from './own-files'
import { type Planned, plannedFile } from './planned-file'

export type Server = 'express' | 'hono'

/** The facts that the lines of a tunnel contain. */
interface TunnelUse extends Pick<Setup, 'dsn' | 'replacesDsn'> {
  readonly server: Server
  /** The tunnel's file, as the entry imports it. */
  readonly specifier: string
}

/** The DSN of a tunnel that names none. */
const DEFAULT_DSN = 'http://local@127.0.0.1:8969/1'

/** The lines that mount a tunnel. @param app the variable of the app */
export function tunnelLines({ server, dsn }: Pick<TunnelUse, 'server' | 'dsn'>, app: string): readonly string[] {
  const named = dsn === DEFAULT_DSN ? '' : `dsn: process.env.WAYSTATION_DSN ?? '${dsn}', `
  const options = `{ ${named}lifeboatFolder: resolve('.lifeboat') }`
  return server === 'express'
    ? [
        '// Before body parsers: the tunnel forwards the bytes as they come.',
        `${app}.post('/tunnel', nodeTunnel(${options}))`,
      ]
    : [`const tunnel = localTunnel(${options})`, `${app}.post('/tunnel', (c) => tunnel.handle(c.req.raw))`]
}

const functionOf = (server: Server): string => (server === 'express' ? 'nodeTunnel' : 'localTunnel')

/** The whole text, for a file that is not edited. @param reason the beginning of a sentence */
export const pasteTunnel = (reason: string, use: TunnelUse): Planned => ({
  step: {
    title: `${reason}. Add this to the file that creates your app, before all routes:`,
    paste: [
      `import { resolve } from 'node:path'`,
      `import { ${functionOf(use.server)} } from '${use.specifier}'`,
      '',
      ...tunnelLines(use, 'app'),
      '',
    ].join('\n'),
  },
})

const APP = {
  express: /^(?:export )?(?:const|let|var) (\w+) = express\(\)(;?)[ \t]*$/m,
  hono: /^(?:export )?(?:const|let|var) (\w+) = new Hono(?:<[^\n]*>)?\(\)(;?)[ \t]*$/m,
} as const
const IMPORT = {
  express: /^(?:import express from|(?:const|let|var) express = require\() ?['"]express['"]\)?;?[ \t]*$/m,
  hono: /^import \{[^}\n]*\bHono\b[^}\n]*\} from ['"]hono['"];?[ \t]*$/m,
} as const
const PATH_IMPORT =
  /^(?:import|const) \{[^}\n]*\bresolve\b[^}\n]*\} (?:from|= require\() ?['"](?:node:)?path['"]\)?;?[ \t]*$/m

export const createsApp = (server: Server, text: string): boolean => APP[server].test(text)

/** Mounts the tunnel after the line that creates the app; in Express also the error handler. */
export function editEntry(path: string, before: string, use: TunnelUse): readonly Planned[] {
  if (/\b(?:node|local)Tunnel\b/.test(before)) return mounted(path, before, use)
  const created = APP[use.server].exec(before)
  const imported = IMPORT[use.server].exec(before)
  const declared = /\b(?:const|let|var|function|import)\b[^\n=]*\b(?:resolve|Sentry|tunnel)\b/
  if (created === null || imported === null || declared.test(before.replace(PATH_IMPORT, '')))
    return [pasteTunnel(`${path} has a shape that init does not edit`, use)]

  const [creation, app = '', end = ''] = created
  const [importLine] = imported
  const isRequired = importLine.includes('require(')
  const styled = (line: string): string =>
    line.startsWith('//') ? line : `${importLine.includes('"') ? line.replaceAll("'", '"') : line}${end}`
  const importing = (names: string, from: string): string =>
    styled(isRequired ? `const ${names} = require('${from}')` : `import ${names} from '${from}'`)
  const imports = [
    ...(PATH_IMPORT.test(before) ? [] : [importing('{ resolve }', 'node:path')]),
    importing(`{ ${functionOf(use.server)} }`, use.specifier),
  ]
  const withTunnel = before
    .replace(importLine, () => [importLine, ...imports].join('\n'))
    .replace(creation, () => [creation, ...tunnelLines(use, app).map(styled)].join('\n'))
  if (use.server === 'hono') return [{ file: plannedFile(path, before, withTunnel) }]

  const sentry = importing(isRequired ? 'Sentry' : '* as Sentry', '@sentry/node')
  const handler = `Sentry.setupExpressErrorHandler(${app})${end}`
  const at = endOfRoutes(withTunnel, app)
  if (at === null)
    return [
      { file: plannedFile(path, before, withTunnel) },
      {
        step: {
          title: `${path}: add this after all routes and before your own error handlers, so that errors of routes are recorded:`,
          paste: `${sentry}\n\n${handler}\n`,
        },
      },
    ]
  const after = `${withTunnel.slice(0, at)}${handler}\n\n${withTunnel.slice(at)}`
  return [
    {
      file: plannedFile(
        path,
        before,
        after.replace(importLine, () => `${sentry}\n${importLine}`),
      ),
    },
  ]
}

/** A file with a tunnel stays as it is, but for a DSN that the user named. */
function mounted(path: string, before: string, { dsn, replacesDsn }: TunnelUse): readonly Planned[] {
  const after = replacesDsn ? before.replaceAll(LOCAL_DSN, dsn) : before
  const file = { file: plannedFile(path, before, after) }
  if (!replacesDsn || after.includes(dsn) || dsn === DEFAULT_DSN) return [file]
  return [file, { step: { title: `${path}: give the tunnel this option:`, paste: `dsn: '${dsn}',\n` } }]
}

/**
 * The position after the routes: before the first error handler, else before the lines that listen or export the app.
 * Comments above these belong to them.
 */
function endOfRoutes(text: string, app: string): number | null {
  const ends = [
    `${app}\\.use\\((?:function ?)?\\((?:err|error), `,
    `(?:(?:const|let|var) \\w+ = )?(?:${app}\\.listen|(?:http\\.)?createServer)\\(`,
    `(?:module\\.exports = |export default )${app}\\b`,
  ]
  const found = ends.map((end) => new RegExp(`^(?://.*\\n)*${end}`, 'm').exec(text)).find((one) => one !== null)
  return found?.index ?? null
}
