/*
 * Preloaded (`--import …/follow-parent.js?parent=PID&grace=MS`) into every process we start: when the parent is gone,
 * however it died, this process goes too. The query carries what it must know, because variables would leak into
 * everything it starts.
 */
import { isMainThread } from 'node:worker_threads'

const WATCH_MS = 1000

if (isMainThread) {
  const asked = new URL(import.meta.url).searchParams
  // Node hands `--import` on to what this process forks in turn; only the one we started leads a process group.
  if (process.ppid === Number(asked.get('parent'))) followChannel(Number(asked.get('grace')))
  else watchParent()
}

/**
 * The system closes our channel the moment the other end dies.
 * @param {number} graceMs
 */
function followChannel(graceMs) {
  const killGroup = () => process.kill(-process.pid, 'SIGKILL')
  const follow = () => {
    if (graceMs === 0) return killGroup()
    process.once('exit', killGroup)
    setTimeout(killGroup, graceMs)
    process.kill(process.pid, 'SIGTERM')
  }
  if (process.connected) process.once('disconnect', follow)
  else follow()
  // Listening must not keep a process alive that has done its work.
  process.channel?.unref()
}

/**
 * Processes further down use their channel themselves, and touching it would change when they end (measured: a build
 * worker ends at once, and the build with it, half done).
 */
function watchParent() {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1)
  }, WATCH_MS).unref()
}
