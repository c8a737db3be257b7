import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the innermost package that a file belongs to. */
const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//

/**
 * What the licences of bundled packages ask for: their name, version and licence, word for word.
 * @param {string} root
 * @param {readonly string[]} inputs files of a bundle, relative to the root
 * @returns {string}
 */
export function thirdPartyNotice(root, inputs) {
  const folders = [...new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []))].sort()
  const notices = folders.map((folder) => noticeOf(join(root, folder)))
  return `Waystation is bundled with ${folders.length} packages of others.\n\n${notices.join('\n')}`
}

/** @param {string} folder */
function noticeOf(folder) {
  /** @type {{ name: string, version: string, license?: string }} */
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((one) => /^licen[cs]e(?:\.\w+)?$/i.test(one))
  if (license === undefined && file === undefined) throw new Error(`${name} ${version} states no licence`)
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `${'-'.repeat(80)}\n${name} ${version}, licence ${license ?? 'below'}\n${text}`
}
