import { spawn } from 'node:child_process'
import { plainText } from '../../lib/format'

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens the boards in the default browser. Without one, the printed address is enough. */
export function openBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const opener = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  opener.on('error', (error) => console.error(`No browser could be opened: ${plainText(error.message)}.`))
  opener.unref()
}
