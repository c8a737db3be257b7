import { posix } from 'node:path'
import { ownFile, type Plan, type Setup, TUNNEL_FILE, tunnelFiles } from './own-files'
import { type Planned, plannedFile } from './planned-file'
import { packageVersion } from './project'
import { createsApp, editEntry, pasteTunnel, type Server } from './server-entry'

const SDK = '@sentry/node'
const [OLDEST, NEWEST] = [8, 11]
const INSTRUMENT = 'instrument.mjs'

/** The text of `instrument.mjs`. `dataCollection` exists from SDK 11 on; older ones send no IP addresses. */
export const serverInstrument = (dsn: string, major: number): string => `import * as Sentry from '@sentry/node'

Sentry.init({
  // \`waystation run\` starts its own collector and sets WAYSTATION_DSN to it.
  dsn: process.env.WAYSTATION_DSN ?? '${dsn}',
  tracesSampleRate: 1,
${major >= 11 ? '  dataCollection: { userInfo: false },\n' : ''}  integrations: [
    // The server must not trace its own tunnel, neither the posts of pages nor those to the collector.
    Sentry.httpIntegration({ ignoreIncomingRequests: (path) => path.startsWith('/tunnel') }),
    Sentry.nativeNodeFetchIntegration({ ignoreOutgoingRequests: (url) => new URL(url).pathname.startsWith('/tunnel') }),
  ],
})
`

/** The types of the tunnel's file, for a server in TypeScript. */
export const TUNNEL_TYPES = `import type { IncomingMessage, ServerResponse } from 'node:http'

export interface LocalTunnelOptions {
  readonly dsn?: string
  readonly lifeboatFolder?: string
  readonly allowsOrigin?: (origin: string | null, host: string | null) => boolean
}

export declare function localTunnel(options?: LocalTunnelOptions): { handle(request: Request): Promise<Response> }
export declare function nodeTunnel(
  options?: LocalTunnelOptions,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>
`

/** Plans tunnel, SDK and start of an Express or Hono server. */
export function planServer(setup: Setup, server: Server): Plan {
  const { project, dsn } = setup
  const declared = packageVersion(project, SDK)
  const [major] = declared ?? [NEWEST]
  if (major < OLDEST)
    return {
      planned: [
        {
          step: {
            title: `init sets up ${SDK} ${OLDEST} or newer; yours is ${major}. Give its Sentry.init this option:`,
            paste: `dsn: '${dsn}',\n`,
          },
        },
      ],
      packages: [],
    }
  return {
    planned: [
      ...tunnelFiles(setup, ''),
      ownFile(setup, [INSTRUMENT], serverInstrument(dsn, major), /ignoreIncomingRequests/),
      ...planEntry(setup, server),
      planScripts(setup),
    ],
    packages: declared === null ? [`${SDK}@${NEWEST}`] : [],
  }
}

/** The tunnel in the file that creates the app, and its types for TypeScript. */
function planEntry(setup: Setup, server: Server): readonly Planned[] {
  const { project } = setup
  const path = entryPaths(setup).find((one) => createsApp(server, project.read(one) ?? ''))
  const before = path === undefined ? null : project.read(path)
  if (path === undefined || before === null)
    return [pasteTunnel('No file that creates the app was found', { ...setup, server, specifier: `./${TUNNEL_FILE}` })]
  const relative = posix.relative(posix.dirname(path), TUNNEL_FILE)
  const specifier = relative.startsWith('.') ? relative : `./${relative}`
  const types = /\.[cm]?ts$/.test(path)
    ? [ownFile(setup, [TUNNEL_FILE.replace('.mjs', '.d.mts')], TUNNEL_TYPES, /localTunnel/)]
    : []
  return [...types, ...editEntry(path, before, { ...setup, server, specifier })]
}

const FOLDERS = ['', 'src/', 'server/']
const NAMES = ['server', 'app', 'index', 'main']
const EXTENSIONS = ['js', 'mjs', 'cjs', 'ts', 'mts']

/** Files that may create the app: those of the scripts and of `main` first. Built ones are no sources. */
function entryPaths({ project }: Setup): readonly string[] {
  const { scripts = {}, main = null } = project.manifest ?? {}
  const named = [...Object.values(scripts), main ?? ''].flatMap((text) => text.match(/[\w./-]+\.[cm]?[jt]s\b/g) ?? [])
  const usual = FOLDERS.flatMap((folder) =>
    NAMES.flatMap((name) => EXTENSIONS.map((extension) => `${folder}${name}.${extension}`)),
  )
  return [...new Set([...named.map((path) => posix.normalize(path)), ...usual])].filter(
    (path) => !/^(?:dist|build|out|\.\.)\//.test(path) && project.has(path),
  )
}

/** Scripts that start the server with `node` or `tsx`, with the instrumentation before all other code. */
function planScripts({ project }: Setup): Planned {
  const path = 'package.json'
  const before = project.read(path) ?? ''
  const { scripts = {} } = project.manifest ?? {}
  const started = Object.entries(scripts).filter(
    ([name, text]) => /^(?:start|dev|serve)\b/.test(name) && START.test(text) && !text.includes(INSTRUMENT),
  )
  if (started.length === 0 && !Object.values(scripts).some((text) => text.includes(INSTRUMENT)))
    return {
      step: {
        title:
          'No script of package.json has the form `node FILE`. Start your server with this option of Node, before its file:',
        paste: `node --import ./${INSTRUMENT} server.js\n`,
      },
    }
  const after = started.reduce((text, [name, command]) => {
    const changed = command.replace(
      START,
      (_all, start: string, file: string) => `${start}--import ./${INSTRUMENT} ${file}`,
    )
    const entry = new RegExp(`(${escaped(JSON.stringify(name))}\\s*:\\s*)${escaped(JSON.stringify(command))}`)
    return text.replace(entry, (_all, key: string) => `${key}${JSON.stringify(changed)}`)
  }, before)
  return { file: plannedFile(path, before, after) }
}

/** `node FILE`, `node --watch FILE`, `tsx FILE` or `tsx watch FILE`, and its arguments. */
const START = /^(node (?:--watch )?|tsx (?:watch )?)((?!-)[\w./-]+(?: [^&|;]*)?)$/

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
