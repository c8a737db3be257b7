/**
 * Text in lines of a width, broken at spaces. A word that is longer than a line, such as an address, stays whole: half an
 * address opens nothing.
 * @param first stands before the first line; the others are indented as far.
 */
export function wrap(first: string, text: string, width: number): readonly string[] {
  const room = Math.max(20, width - first.length)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  const indent = ' '.repeat(first.length)
  return [...lines, line].map((one, index) => `${index === 0 ? first : indent}${one}`)
}
