import { posix } from 'node:path'
import { ANY, cycles, fragments, lineCounts, linesOf, lonelyFolders, longFiles, median, usesOf } from './figures.js'
import { judgeDocument, judgeSource } from './plain-language.js'
import { codeOf, documents, productFiles, sourceFiles } from './sources.js'

/*
 * `npm run house`: the size and plainness of the code in figures. `--list [FOLDER]` prints each finding below a folder.
 */
const [flag, below = ''] = process.argv.slice(2)
if (flag !== undefined && flag !== '--list') {
  console.error(`unknown flag ${JSON.stringify(flag)}; valid: --list [FOLDER]`)
  process.exit(2)
}
const counts = lineCounts()
const uses = usesOf(productFiles)
const judged = sourceFiles.filter((path) => !path.startsWith('tests/repo/') && !path.startsWith('tests/fixtures/'))
const words = [...judged.flatMap(judgeSource), ...documents.flatMap(judgeDocument)]
const anys = sourceFiles.filter((path) => ANY.test(codeOf(path)))

/** @type {readonly (readonly [string, number | string])[]} */
const figures = [
  ['product files', productFiles.length],
  ['lines', counts.product],
  ['lines of tests', counts.tests],
  ['lines of style sheets', counts.styles],
  ['median lines', median(productFiles.map(linesOf))],
  ['files over 400 lines', longFiles().length],
  ['import cycles', cycles(uses).length],
  ['fragments under 30 lines with one importer', fragments(uses).length],
  ['folders with one file', lonelyFolders().length],
  ['files with any', anys.length],
  ['words and sentences to replace', words.length],
]
if (flag === '--list') {
  for (const path of [...fragments(uses), ...longFiles()].filter((path) => path.startsWith(below)))
    console.log(`${path}: ${linesOf(path)} lines`)
  for (const { path, line, why } of words.filter(({ path }) => path.startsWith(below)))
    console.log(`${path}:${line}: ${why}`)
  const folders = new Map()
  for (const { path } of words.filter(({ path }) => path.startsWith(below))) {
    const folder = posix.dirname(path).split('/').slice(0, 3).join('/')
    folders.set(folder, (folders.get(folder) ?? 0) + 1)
  }
  console.log()
  for (const [folder, count] of [...folders].sort((a, b) => b[1] - a[1])) console.log(String(count).padStart(6), folder)
}
console.log()
for (const [name, figure] of figures) console.log(`${String(figure).padStart(8)}  ${name}`)
