/*
 * The first file to run, on whatever Node there is: no import and no syntax that Node 8 cannot read, so that an old
 * Node is answered with a sentence and not with a SyntaxError. Everything else is in command.js.
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
    // Node 8 rejects the whole file for an import(), reached or not; as text it is read only here.
    new Function('return import("./command.js")')().then((/** @type {typeof import('./command.js')} */ command) =>
      command.runCommand(process.argv.slice(2)),
    )
  }
}
