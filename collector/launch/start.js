/*
 * Runs first, on any Node version: without `import` and without syntax that Node 8 cannot parse, so that an old Node
 * prints a sentence and not a SyntaxError. command.js does the rest.
 */
{
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isSupported = major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)
  if (!isSupported) {
    console.error(
      `Waystation needs Node 20 from 20.19 on, Node 22 from 22.12 on, or Node 24 or newer; this is Node ${process.versions.node} (${process.execPath}).`,
    )
    process.exitCode = 1
  } else {
    // Node 8 rejects a file that contains import(), even if it is not reached.
    new Function('return import("./command.js")')().then((/** @type {typeof import('./command.js')} */ command) =>
      command.runCommand(process.argv.slice(2)),
    )
  }
}
