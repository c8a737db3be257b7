const { WAYSTATION_CHROMIUM } = process.env

/** The browser speaks to this machine alone; whatever else it would look up, or call home for, does not exist. */
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

// Chromium refuses its sandbox to root, which is who runs in containers.
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []

export const browserLaunch = {
  ...(WAYSTATION_CHROMIUM !== undefined && { executablePath: WAYSTATION_CHROMIUM }),
  args: [...sandbox, ...SILENT],
}
