import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { sleep } from '../../../lib/time'
import { hasCode } from '../../launch/processes.js'

/** A process that runs; zombies are left out. */
export interface Listed {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** When it began, in a form that only compares as equal: a pid may be used again. */
  readonly began: string
  /** Reads its command line; empty when it has ended. */
  readonly commandLine: () => string
}

/** All processes of this machine. */
export const listProcesses = async (): Promise<readonly Listed[]> =>
  process.platform === 'linux' ? listByProc() : listByPs()

function listByProc(): readonly Listed[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readIfPresent(`/proc/${name}/stat`)
      if (stat === null) return []
      // After the name, which may contain spaces and brackets: state, parent, group; the start time is the 20th.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const [state = '', parent, group] = fields
      if (/[ZX]/.test(state)) return []
      const commandLine = () => (readIfPresent(`/proc/${name}/cmdline`) ?? '').replaceAll('\0', ' ')
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), began: fields[19] ?? '', commandLine }]
    })
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    // It has ended since it was listed.
    if (hasCode(cause, 'ENOENT', 'ESRCH', 'EACCES')) return null
    throw cause
  }
}

/** `lstart` is five words: `Tue Nov 24 14:21:15 2026`. */
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+((?:\S+\s+){4}\S+)\s*(.*)$/

async function listByPs(): Promise<readonly Listed[]> {
  const args = ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart=,args=']
  const { stdout } = await promisify(execFile)('ps', args, { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, group, state = '', began = '', args = ''] = PS_LINE.exec(line) ?? []
    if (pid === undefined || state.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), began, commandLine: () => args }]
  })
}

/** Browsers, by the beginning of their command line; names with spaces are those of macOS. */
const BROWSERS =
  /^(?:\S*\/|.*\/MacOS\/)?(chrome|chromium|chromium-browser|google-chrome(?:-stable)?|chrome-headless-shell|headless_shell|firefox(?:-bin|-esr)?|msedge|microsoft-edge(?:-stable)?|MiniBrowser|Google Chrome(?: for Testing)?|Chromium|Microsoft Edge)(?= |$)/
/** Programs that drive browsers, perhaps one that runs elsewhere. */
const DRIVERS =
  /(?:^|[ /@])(?:(pw_run\.sh|chromedriver|geckodriver|msedgedriver|safaridriver|wdio|puppeteer)(?= |$)|(playwright)(?:\/\S+)?(?= test\b)|(cypress)(?:\/\S+)?(?= (?:run|open)\b))/i

/** A browser that ran, as the beginning of a sentence: `a browser ran (chrome)`. */
export interface RanBrowser {
  readonly text: string
  /** False for a program that drives browsers. */
  readonly isBrowser: boolean
}

/** The browser that a command line starts, or the program that drives one; `null` for any other. */
export function browserIn(commandLine: string): RanBrowser | null {
  const [, browser] = BROWSERS.exec(commandLine) ?? []
  if (browser !== undefined) return { text: `a browser ran (${browser})`, isBrowser: true }
  const driver = DRIVERS.exec(commandLine)
    ?.slice(1)
    .find((name) => name !== undefined)
  return driver === undefined ? null : { text: `a browser test ran (${driver})`, isBrowser: false }
}

/** How long processes that the program left running have after SIGTERM: an SDK sends its buffer meanwhile. */
const GRACE_MS = 5_000
const CHECK_EVERY_MS = 50
/** A process whose parent ends within this time is found only by its group. */
const SEARCH_EVERY_MS = 1_000
/** A small suite opens its browser for less than a second. On Linux a search costs 1.5 ms of CPU per 100 processes. */
const SEARCH_EARLY = { everyMs: process.platform === 'linux' ? 250 : SEARCH_EVERY_MS, untilMs: 60_000 }

export interface Descendants {
  /**
   * Ends what the program left running: SIGTERM, after `GRACE_MS` SIGKILL.
   * @param force kills them at once
   * @returns how many there were
   */
  readonly end: (force: AbortSignal) => Promise<number>
  /** The browser that ran so far; `null` without any. One that ran for a fraction of a second may be missed. */
  readonly browser: () => RanBrowser | null
}

/**
 * Watches the descendants of a program. A process whose parent has ended belongs to another parent, so the search goes on
 * while the program runs.
 * @param leadsGroup the program leads a process group, which then belongs to it
 */
export function watchDescendants(
  program: number,
  { leadsGroup, list = listProcesses }: { readonly leadsGroup: boolean; readonly list?: typeof listProcesses },
): Descendants {
  const known = new Map<number, Listed>()
  let browser: RanBrowser | null = null
  const hasBrowser = (): boolean => browser?.isBrowser === true
  const search = async (): Promise<readonly Listed[]> => {
    const all = await list()
    const running = new Map(all.map((one) => [one.pid, one]))
    for (const { pid, began } of known.values()) if (running.get(pid)?.began !== began) known.delete(pid)
    const parents = new Set([program, ...known.keys()])
    // A child is listed before or after its parent.
    for (let found = true; found; ) {
      found = false
      for (const one of all) {
        if (parents.has(one.pid) || one.pid === process.pid) continue
        if (!parents.has(one.parent) && !(leadsGroup && one.group === program)) continue
        parents.add(one.pid)
        known.set(one.pid, one)
        found = true
      }
    }
    // A process has the command line of its parent until it executes its program, so each is read again.
    for (const pid of parents) {
      if (hasBrowser()) break
      browser = browserIn(running.get(pid)?.commandLine() ?? '') ?? browser
    }
    return [...known.values()]
  }
  const began = performance.now()
  const stopped = new AbortController()
  const searching = (async () => {
    while (!stopped.signal.aborted) {
      await search()
      const isEarly = !hasBrowser() && performance.now() - began < SEARCH_EARLY.untilMs
      await sleep(isEarly ? SEARCH_EARLY.everyMs : SEARCH_EVERY_MS, stopped.signal)
    }
  })()
  // The failure is reported by `end`.
  searching.catch(() => undefined)

  return {
    end: async (force) => {
      stopped.abort()
      await searching
      let left = await search()
      const count = left.length
      for (const one of left) signal(one, 'SIGTERM')
      const until = performance.now() + GRACE_MS
      while (left.length > 0 && performance.now() < until && !force.aborted) {
        await sleep(CHECK_EVERY_MS, force)
        left = await search()
      }
      for (const one of left) signal(one, 'SIGKILL')
      return count
    },
    browser: () => browser,
  }
}

function signal({ pid }: Listed, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (cause) {
    // It has ended, or it runs as another user.
    if (!hasCode(cause, 'ESRCH', 'EPERM')) throw cause
  }
}
