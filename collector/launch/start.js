/*
 * Runs first, on any Node version: without `import` and without syntax that Node 8 cannot parse, so that an old Node
 * prints a sentence and not a SyntaxError. command.js does the rest.
 */
{
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isOld = major < 20 || (major === 20 && minor < 19) || (major === 22 && minor < 12)
  if (isOld) {
    console.error(
      `Waystation needs Node 20.19 or newer (of Node 22: 22.12 or newer), and this is Node ${process.versions.node} (${process.execPath}).`,
    )
    process.exitCode = 1
  } else {
    // Node 8 rejects a file that contains import(), even if it is not reached.
    new Function('return import("./command.js")')().then((/** @type {typeof import('./command.js')} */ command) =>
      command.runCommand(process.argv.slice(2)),
    )
  }
}
