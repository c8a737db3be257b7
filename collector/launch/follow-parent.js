/*
 * Preloaded (`--import …/follow-parent.js?parent=PID&grace=MS`) into every process that Waystation starts: ends the process
 * when its parent has ended, even after SIGKILL. The query has the settings, because its own children would inherit
 * environment variables.
 */
import { isMainThread } from 'node:worker_threads'

const CHECK_MS = 1000

if (isMainThread) {
  const settings = new URL(import.meta.url).searchParams
  // Node passes `--import` on to forked processes. Only the process that we started leads a process group.
  if (process.ppid === Number(settings.get('parent'))) followChannel(Number(settings.get('grace')))
  else checkParent()
}

/** The operating system closes the IPC channel as soon as the parent ends. @param {number} graceMs */
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
  // A listener must not keep a process alive that has finished.
  process.channel?.unref()
}

/**
 * Grandchildren use their own channel, and a listener on it changes when they end: a build worker of Next then ends at
 * once, and the build fails.
 */
function checkParent() {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1)
  }, CHECK_MS).unref()
}
