const { WAYSTATION_CHROMIUM } = process.env

/** The browser resolves no host but this machine, and sends no background requests. */
const SILENT = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-first-run',
  '--no-pings',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
]

// Chromium has no sandbox for root, which is the usual user in containers.
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []

export const browserLaunch = {
  ...(WAYSTATION_CHROMIUM !== undefined && { executablePath: WAYSTATION_CHROMIUM }),
  args: [...sandbox, ...SILENT],
}
