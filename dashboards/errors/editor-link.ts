/** Opens a file of this disk in Visual Studio Code. */
export const DEFAULT_EDITOR = 'vscode://file/PATH:LINE:COL'

/** Schemes that would run text as a script. */
const SCRIPTS = /^(?:javascript|data|vbscript|blob|about):/i

/** Why a template is not valid; `null` when it is. */
export function editorProblem(template: string): string | null {
  const shown = JSON.stringify(template.slice(0, 80))
  if (!/^[a-z][a-z\d+.-]*:/i.test(template) || SCRIPTS.test(template))
    return `the link must begin with the scheme of an editor, such as vscode:, got ${shown}`
  return template.includes('PATH') ? null : `the link must contain PATH, and may contain LINE and COL, got ${shown}`
}

/** Why a mapping of paths is not valid; `null` when it is, or empty. */
export function mappingProblem(mapping: string): string | null {
  if (mapping === '' || /^[^=]+=[^=]+$/.test(mapping)) return null
  return `the mapping must be FROM=TO, such as /app=/home/me/shop, got ${JSON.stringify(mapping.slice(0, 80))}`
}

export interface EditorPosition {
  /** An absolute path on the disk of the collector. */
  readonly path: string
  readonly line: number
  readonly column: number
}

/** The address that opens a position in the editor. @param mapping `FROM=TO`: the beginning of a path, in a container and here */
export function editorHref(template: string, mapping: string, { path, line, column }: EditorPosition): string | null {
  if (editorProblem(template) !== null) return null
  const [from = '', to = ''] = mappingProblem(mapping) === null ? mapping.split('=') : []
  const isInside = from !== '' && (path === from || path.startsWith(from.endsWith('/') ? from : `${from}/`))
  const here = isInside ? `${to}${path.slice(from.length)}` : path
  // Of Windows: `C:\shop` is `C:/shop`. A template with `/PATH` has the first slash already.
  const slashed = encodeURI(here.replaceAll('\\', '/')).replace(/[?#]/g, encodeURIComponent)
  const values: Readonly<Record<string, string>> = {
    '/PATH': slashed.startsWith('/') ? slashed : `/${slashed}`,
    PATH: slashed,
    LINE: String(line),
    COL: String(column),
  }
  return template.replace(/\/PATH|PATH|LINE|COL/g, (name) => values[name] ?? name)
}
