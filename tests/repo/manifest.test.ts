import { describe, expect, it } from 'vitest'
import { sourceOf } from './sources.js'

interface Manifest {
  readonly version: string
  readonly private?: boolean
  readonly license: string
  readonly engines: { readonly node: string }
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}

const manifest: Manifest = JSON.parse(sourceOf('package.json'))
const lock: { readonly version: string; readonly packages: { readonly '': Manifest } } = JSON.parse(
  sourceOf('package-lock.json'),
)

describe('package.json', () => {
  it('can be published', () => {
    expect(manifest.private).toBeUndefined()
    expect(manifest.license).toBe('MIT')
    expect(manifest.engines.node).toBe('^20.19 || ^22.12 || >=24')
  })

  it('has the version of the newest entry in CHANGELOG.md', () => {
    expect(/^## (\S+)/m.exec(sourceOf('CHANGELOG.md'))?.[1]).toBe(manifest.version)
  })

  it('agrees with package-lock.json', () => {
    expect(lock.version).toBe(manifest.version)
    const { version, engines, dependencies } = lock.packages['']
    expect({ version, engines, dependencies }).toEqual({
      version: manifest.version,
      engines: manifest.engines,
      dependencies: manifest.dependencies,
    })
  })

  it.each(['README.md', 'docs/own-apps.md'])('has the version of the tarball that %s names', (document) => {
    const named = [...sourceOf(document).matchAll(/waystation-(\d[^\s`]*)\.tgz/g)].map(([, version]) => version)
    expect([...new Set(named)]).toEqual([manifest.version])
  })

  it('has no scripts that npm runs when the package is installed from a registry', () => {
    const atInstallation = ['preinstall', 'install', 'postinstall'].filter((name) => name in manifest.scripts)
    expect(atInstallation).toEqual([])
  })
})
