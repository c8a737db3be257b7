/**
 * Returns the path to open after signing in. Only paths of this app are valid, so that a prepared link cannot redirect
 * to another site; a browser reads `//host` and `/\host` as other hosts. Everything else becomes `/`.
 */
export function localPath(requested: unknown): string {
  if (typeof requested !== 'string' || !/^\/(?![/\\])[!-[\]-~]*$/.test(requested)) return '/'
  return requested.startsWith('/login') ? '/' : requested
}
