#!/usr/bin/env node
/* The command `waystation`. Like start.js it runs on any Node version, so both contain the check. */
{
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isSupported = major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)
  if (!isSupported) {
    console.error(
      `Waystation needs Node 20 from 20.19 on, Node 22 from 22.12 on, or Node 24 or newer; this is Node ${process.versions.node} (${process.execPath}).`,
    )
    process.exitCode = 1
  } else {
    new Function('return import("./waystation-command.js")')().then(
      (/** @type {typeof import('./waystation-command.js')} */ command) => command.runCommand(process.argv.slice(2)),
    )
  }
}
