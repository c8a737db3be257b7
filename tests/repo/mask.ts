/** Source of which only the code is left: strings are `§n§`, their text beside it; comments and templates' text are gone. */
export interface Masked {
  readonly code: string
  readonly strings: readonly string[]
}

/** After one of these a slash begins a regular expression, and is no division. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|await|yield|else))\s*$/

/**
 * Takes comments and the text of strings out of TypeScript, so that an import in a comment or in an example is none.
 * No parser: TypeScript 7 is native and has no JavaScript API to ask.
 */
export function mask(source: string): Masked {
  const strings: string[] = []
  let code = ''
  let at = 0
  /** For each template that is open: how many braces are open in its `${}`; without one we are in code. */
  const templates: number[] = []

  const skipTemplate = (): void => {
    while (at < source.length) {
      const sign = source[at]
      at += sign === '\\' ? 2 : 1
      if (sign === '`') return
      if (sign !== '$' || source[at] !== '{') continue
      at += 1
      templates.push(0)
      code += ' '
      return
    }
  }

  while (at < source.length) {
    const sign = source[at] ?? ''
    const two = source.slice(at, at + 2)
    if (two === '//') {
      at = end(source, '\n', at)
    } else if (two === '/*') {
      at = end(source, '*/', at + 2) + 2
      code += ' '
    } else if (sign === "'" || sign === '"') {
      const text = stringAt(source, at)
      if (text === null) {
        // An apostrophe in the text of an element.
        code += ' '
        at += 1
      } else {
        code += `§${strings.push(text.slice(1, -1)) - 1}§`
        at += text.length
      }
    } else if (sign === '`') {
      at += 1
      skipTemplate()
    } else if (sign === '}' && templates.at(-1) === 0) {
      templates.pop()
      at += 1
      skipTemplate()
    } else if (sign === '/' && BEFORE_REGEX.test(code.slice(-12))) {
      at += regexAt(source, at)
      code += ' '
    } else {
      const open = templates.at(-1)
      if (open !== undefined && (sign === '{' || sign === '}'))
        templates[templates.length - 1] = open + (sign === '{' ? 1 : -1)
      code += sign
      at += 1
    }
  }
  return { code, strings }
}

function end(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from)
  return found < 0 ? source.length : found
}

/** The string that begins here, its quotes with it; `null` when the line ends first. */
function stringAt(source: string, at: number): string | null {
  const pattern = source[at] === "'" ? /'(?:[^'\\\n]|\\[\s\S])*'/y : /"(?:[^"\\\n]|\\[\s\S])*"/y
  pattern.lastIndex = at
  return pattern.exec(source)?.[0] ?? null
}

/** Length of the regular expression that begins here; 1, which is a slash, when there is none on this line. */
function regexAt(source: string, at: number): number {
  const pattern = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
  pattern.lastIndex = at
  return pattern.exec(source)?.[0].length ?? 1
}
