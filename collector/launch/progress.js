const TICK_MS = 1000
const PLAIN_EVERY_S = 10

/**
 * Tells that a long step is alive: on a terminal one line that counts its seconds, elsewhere a line at its start,
 * every ten seconds, and at its end.
 * @param {string} doing what is being done, e.g. `Installing packages`
 * @param {{ out?: { isTTY?: boolean, write: (text: string) => unknown }, now?: () => number }} [given]
 * @returns {{ end: (done: string) => void }} `end` says how it ended, e.g. `Packages are installed`
 */
export function beginProgress(doing, { out = process.stdout, now = () => performance.now() } = {}) {
  const began = now()
  const seconds = () => Math.round((now() - began) / 1000)
  const isTerminal = out.isTTY === true
  out.write(isTerminal ? `${doing} …` : `${doing} …\n`)
  let told = 0
  const ticking = setInterval(() => {
    if (isTerminal) {
      out.write(`\r${doing} … ${seconds()} s`)
    } else if (seconds() - told >= PLAIN_EVERY_S) {
      told = seconds()
      out.write(`${doing} … ${told} s\n`)
    }
  }, TICK_MS)
  return {
    end: (done) => {
      clearInterval(ticking)
      const line = `${done} (${seconds()} s)`
      // The erase sequence clears what a longer line left behind.
      out.write(isTerminal ? `\r\u001b[K${line}\n` : `${line}\n`)
    },
  }
}
