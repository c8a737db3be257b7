import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { StoreConnection } from '../../collector/spool-postgres/connection'
import { openPostgresStore } from '../../collector/spool-postgres/store'
import { submission } from '../unit/spool/in-process-spool'
import { ownerOfServer } from './binaries'
import { type Cluster, createCluster } from './cluster'

/** The server of this file, whose certificate is for 127.0.0.1 only, or the reason why there is none. */
let server: { readonly cluster: Cluster; readonly files: Files } | { readonly why: string }

interface Files {
  readonly ca: string
  /** Of an authority that signed nothing here. */
  readonly otherCa: string
  readonly certificate: string
  readonly key: string
}

beforeAll(async () => {
  const cluster = await createCluster()
  if ('why' in cluster) server = cluster
  else if (spawnSync('openssl', ['version']).status !== 0) {
    await cluster.remove()
    server = { why: 'there is no command openssl to make certificates' }
  } else {
    const files = makeCertificates(cluster.folder)
    server = { cluster, files }
    await cluster.start({ ssl: 'on', ssl_cert_file: files.certificate, ssl_key_file: files.key })
  }
  if ('why' in server) console.log(`Tests of TLS are skipped: ${server.why}.`)
})

afterAll(async () => {
  if ('cluster' in server) await server.cluster.remove()
})

function makeCertificates(cluster: string): Files {
  const folder = join(cluster, 'tls')
  mkdirSync(folder)
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  }
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  for (const name of ['ca', 'other-ca'])
    openssl('req', '-x509', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', `/CN=${name}`)
  openssl('req', ...newKey.slice(0, 5), '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=database')
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1\n')
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem')
  const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.pem')]
  // PostgreSQL refuses a key that others can read.
  chmodSync(key, 0o600)
  const { uid, gid } = ownerOfServer()
  if (uid !== undefined && gid !== undefined) for (const path of [folder, key, certificate]) chownSync(path, uid, gid)
  return { ca: join(folder, 'ca.pem'), otherCa: join(folder, 'other-ca.pem'), certificate, key }
}

const withParameters = (url: string, parameters: Record<string, string>, host = '127.0.0.1'): string => {
  const changed = new URL(url)
  changed.hostname = host
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value)
  return changed.href
}

/** Whether a connection is encrypted. */
async function isEncrypted(url: string): Promise<boolean | undefined> {
  const connection = new StoreConnection(url)
  try {
    const [row] = await connection.query<{ readonly ssl: boolean }>({
      text: 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    })
    return row?.ssl
  } finally {
    await connection.close()
  }
}

it('is used by a store whose URL says sslmode=verify-full', async ({ skip }) => {
  if ('why' in server) return skip(server.why)
  const { cluster, files } = server
  const url = withParameters(cluster.url(), { sslmode: 'verify-full', sslrootcert: files.ca })
  expect(await isEncrypted(url)).toBe(true)
  const store = await openPostgresStore({ url, name: 'test', now: Date.now, log: () => undefined })
  expect(await store.append(submission())).toMatchObject({ seq: 1 })
  await store.close()
})

it('is not used unless the URL asks for it', async ({ skip }) => {
  if ('why' in server) return skip(server.why)
  expect(await isEncrypted(server.cluster.url())).toBe(false)
  expect(await isEncrypted(withParameters(server.cluster.url(), { sslmode: 'disable' }))).toBe(false)
})

it('encrypts with sslmode=require, for any certificate, and without a warning', async ({ skip }) => {
  if ('why' in server) return skip(server.why)
  const warnings: Error[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning)
  process.on('warning', onWarning)
  const url = withParameters(server.cluster.url(), { sslmode: 'require' }, 'localhost')
  expect(await isEncrypted(url)).toBe(true)
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

it('accepts another name of the server with sslmode=verify-ca, and not with verify-full', async ({ skip }) => {
  if ('why' in server) return skip(server.why)
  const { cluster, files } = server
  const url = (sslmode: string, ca: string): string =>
    withParameters(cluster.url(), { sslmode, sslrootcert: ca }, 'localhost')
  expect(await isEncrypted(url('verify-ca', files.ca))).toBe(true)
  await expect(isEncrypted(url('verify-full', files.ca))).rejects.toThrow(/localhost.*altnames/i)
  await expect(isEncrypted(url('verify-ca', files.otherCa))).rejects.toThrow(/refuses the connection: .*certificate/)
})

it('refuses a certificate of an unknown authority with sslmode=verify-full', async ({ skip }) => {
  if ('why' in server) return skip(server.why)
  const { cluster, files } = server
  const mode = { sslmode: 'verify-full' }
  for (const parameters of [mode, { ...mode, sslrootcert: files.otherCa }])
    await expect(isEncrypted(withParameters(cluster.url(), parameters))).rejects.toThrow(
      /refuses the connection: .*certificate/,
    )
})

it('does not fall back to a connection without it', async ({ skip }) => {
  if ('why' in server) return skip(server.why)
  const { cluster, files } = server
  await cluster.stop()
  await cluster.start()
  await expect(isEncrypted(withParameters(cluster.url(), { sslmode: 'require' }))).rejects.toThrow(
    /does not support SSL/,
  )
  await cluster.stop()
  await cluster.start({ ssl: 'on', ssl_cert_file: files.certificate, ssl_key_file: files.key })
})
