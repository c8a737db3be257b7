#!/usr/bin/env node
/* The command `waystation`. Like start.js it runs on any Node version, so both contain the check. */
{
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isOld = major < 20 || (major === 20 && minor < 19) || (major === 22 && minor < 12)
  if (isOld) {
    console.error(
      `Waystation needs Node 20.19 or newer (of Node 22: 22.12 or newer), and this is Node ${process.versions.node} (${process.execPath}).`,
    )
    process.exitCode = 1
  } else {
    new Function('return import("./waystation-command.js")')().then(
      (/** @type {typeof import('./waystation-command.js')} */ command) => command.runCommand(process.argv.slice(2)),
    )
  }
}
