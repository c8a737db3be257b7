import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describeExit, startChild } from '../../collector/launch/child-process'
import { type BuiltTrace, postTrace } from './trace-envelopes'

const PACKAGE = 'node_modules/@spotlightjs/spotlight'
/** Spotlight 4.11.8 needs the hono that it was built with: its server fails with 4.13, which npm installs otherwise. */
export const INSTALL_SPOTLIGHT = 'npm install --prefix FOLDER @spotlightjs/spotlight@4.11.8 hono@4.12.25'
const LISTENS = /listening on (\d+)/
/** Nothing listens there: Spotlight reports its own telemetry nowhere. */
const NO_PROXY = 'http://127.0.0.1:9'

export interface Spotlight {
  readonly version: string
  readonly url: string
  readonly post: (trace: BuiltTrace) => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Starts the server of an installed Spotlight, unmodified, on a free port.
 * @param folder contains its `node_modules`
 * @throws when it is not installed, ends before it listens, or answers with an error
 */
export async function startSpotlight(folder: string): Promise<Spotlight> {
  const home = resolve(folder, PACKAGE)
  const { version } = manifestOf(home, folder)
  const lines: string[] = []
  let onLine: (line: string) => void = () => undefined
  const child = startChild({
    ...{ nodeFlags: [], script: join(home, 'dist/run.js'), args: ['--port', '0'], cwd: folder, graceMs: 0 },
    env: { ...process.env, NODE_OPTIONS: undefined, SENTRY_SPOTLIGHT: undefined, https_proxy: NO_PROXY },
    onLine: (line) => {
      lines.push(line)
      onLine(line)
    },
    onMessage: () => undefined,
  })
  const port = await new Promise<string>((resolvePort, reject) => {
    onLine = (line) => {
      const found = LISTENS.exec(line)?.[1]
      if (found !== undefined) resolvePort(found)
    }
    void child.exited.then((exit) =>
      reject(new Error(`Spotlight ${version} ended (${describeExit(exit)}): ${lines.join('\n')}`)),
    )
  })
  const url = `http://127.0.0.1:${port}`
  const stop = async (): Promise<void> => {
    child.kill()
    await child.exited
  }
  const { status } = await fetch(url)
  if (status !== 200) {
    await stop()
    const why = `Spotlight ${version} answers its own page with ${status}, expected 200`
    throw new Error(
      `${why}. Install it with the hono that it was built with: ${INSTALL_SPOTLIGHT}\n${lines.join('\n')}`,
    )
  }
  return { version, url, post: (trace) => postTrace(`${url}/stream`, trace), stop }
}

function manifestOf(home: string, folder: string): { readonly version: string } {
  const path = join(home, 'package.json')
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }
  } catch (error) {
    const valid = `a folder with ${PACKAGE} (${INSTALL_SPOTLIGHT})`
    throw new Error(`--spotlight must be ${valid}, got ${JSON.stringify(folder)}: cannot read ${path}`, {
      cause: error,
    })
  }
}
