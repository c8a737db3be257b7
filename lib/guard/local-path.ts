/** Returns the path to open after signing in, of this app only: browsers read `//host` and `/\host` as other hosts. */
export function localPath(requested: unknown): string {
  if (typeof requested !== 'string' || !/^\/(?![/\\])[!-[\]-~]*$/.test(requested)) return '/'
  return requested.startsWith('/login') ? '/' : requested
}
