import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as openTelemetry from '@opentelemetry/semantic-conventions'
import * as incubating from '@opentelemetry/semantic-conventions/incubating'
import { ATTRIBUTE_METADATA } from '@sentry/conventions/attributes'

/** The generated file. The two packages are not shipped: they have 3 MB, and the product reads a fraction of it. */
export const REGISTRY_FILE = fileURLToPath(new URL('../../lib/otlp/attribute-registry.json', import.meta.url))

const require = createRequire(import.meta.url)

/**
 * Reduces `@sentry/conventions` and `@opentelemetry/semantic-conventions` to the facts that the product reads. If both
 * describe an attribute, Sentry's entry counts: it is the only one with a type.
 */
export function reduceRegistry() {
  const ofSentry = Object.entries(ATTRIBUTE_METADATA)
  const known = new Set(ofSentry.map(([name]) => name))
  const namesOfOpenTelemetry = Object.entries(incubating).flatMap(([constant, value]) => {
    if (!constant.startsWith('ATTR_')) return []
    // A function makes the name of an attribute that ends with a key of the sender.
    return [typeof value === 'function' ? String(Reflect.apply(value, null, ['<key>'])) : String(value)]
  })
  /** @type {Record<string, string[]>} */
  const types = {}
  for (const [name, { type }] of ofSentry) types[type] = [...(types[type] ?? []), name]
  const deprecated = {
    ...Object.fromEntries([...deprecationsOfOpenTelemetry()].filter(([name]) => !known.has(name))),
    ...Object.fromEntries(
      ofSentry.flatMap(([name, { deprecation }]) =>
        deprecation === undefined ? [] : [[name, deprecation.replacement ?? null]],
      ),
    ),
  }
  return {
    packages: [
      `@sentry/conventions ${versionOf('@sentry/conventions')}, MIT, Copyright (c) 2023-2025 Functional Software, Inc. dba Sentry`,
      `@opentelemetry/semantic-conventions ${versionOf('@opentelemetry/semantic-conventions')}, Apache-2.0, Copyright The OpenTelemetry Authors`,
    ],
    types: sortedLists(types),
    untyped: sorted(namesOfOpenTelemetry.filter((name) => !known.has(name))),
    deprecated: Object.fromEntries(Object.entries(deprecated).sort(([one], [other]) => (one < other ? -1 : 1))),
    families: familiesOf(
      ofSentry.map(([name, { keys, deprecation }]) => ({ name, keys, isOld: deprecation !== undefined })),
    ),
    resource: resourceNames(),
  }
}

/** @param {readonly string[]} names */
const sorted = (names) => [...new Set(names)].sort()

/** @param {Record<string, string[]>} lists */
const sortedLists = (lists) =>
  Object.fromEntries(
    Object.entries(lists)
      .map(([type, names]) => /** @type {const} */ ([type, sorted(names)]))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )

/**
 * Names under which the same value may be sent, the preferred one first. Each member of a family lists all of them; the
 * list of a current name begins with a current name.
 * @param {readonly { readonly name: string, readonly keys: readonly string[], readonly isOld: boolean }[]} all
 */
function familiesOf(all) {
  /** @type {Map<string, readonly string[]>} */
  const families = new Map()
  for (const { name, keys, isOld } of all)
    if (keys.length > 1 && !isOld && keys[0] === name && !families.has(sorted(keys).join(' ')))
      families.set(sorted(keys).join(' '), keys)
  return [...families.values()].map((keys) => [...keys]).sort((one, other) => (String(one) < String(other) ? -1 : 1))
}

/** The resource attributes of OpenTelemetry: those that its package lists as such, and newer ones of the same kinds. */
const NEWER =
  /^(?:telemetry\.(?:sdk|distro)|service\.(?:name|namespace|version|instance\.id|criticality)$|deployment\.environment|k8s\.(?:cluster|node|pod|namespace|container)\.|host\.(?:id|name|type|arch|image|ip|mac|cpu)|os\.|webengine\.)/

/** Instrumentations send these on spans, too: of the function or the cloud resource that a span calls, or of a browser. */
const ON_BOTH =
  /^(?:faas|cloud|aws|device|process\.(?!runtime)|container\.|k8s\.(?:node|pod|namespace|container)\.(?!name$|uid$)|host\.(?:ip|mac)|os\.)/

function resourceNames() {
  const listed = Object.entries(openTelemetry).flatMap(([constant, value]) =>
    constant.startsWith('SEMRESATTRS_') ? [String(value)] : [],
  )
  const newer = Object.entries(incubating).flatMap(([constant, value]) =>
    constant.startsWith('ATTR_') && typeof value === 'string' && NEWER.test(value) ? [value] : [],
  )
  return sorted([...listed, ...newer]).filter((name) => !ON_BOTH.test(name))
}

/** Replacements are stated only in the comments of the type declarations. */
function deprecationsOfOpenTelemetry() {
  const folder = dirname(require.resolve('@opentelemetry/semantic-conventions'))
  /** @type {Map<string, string | null>} */
  const found = new Map()
  for (const file of ['stable_attributes.d.mts', 'experimental_attributes.d.mts']) {
    const text = readFileSync(join(folder, file), 'utf8')
    const declarations = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*declare const ATTR_\w+: "([^"]+)"/g
    for (const [, comment = '', name = ''] of text.matchAll(declarations)) {
      const advice = /@deprecated (.*)/.exec(comment)?.[1]
      // A group that has moved to a repository of its own is still valid.
      if (advice === undefined || advice.startsWith('Moved to ')) continue
      found.set(name, /^(?:Replaced by|Use) `([^`]+)`/.exec(advice)?.[1] ?? null)
    }
  }
  return found
}

/** @param {string} name of a package */
function versionOf(name) {
  const file = fileURLToPath(new URL(`../../node_modules/${name}/package.json`, import.meta.url))
  return String(JSON.parse(readFileSync(file, 'utf8')).version)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(REGISTRY_FILE, JSON.stringify(reduceRegistry(), null, 2))
  execFileSync('npx', ['biome', 'format', '--write', REGISTRY_FILE], { stdio: 'inherit' })
}
