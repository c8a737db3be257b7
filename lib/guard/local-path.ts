/** True for a path of this app only: browsers read `//host` and `/\host` as other hosts. */
export const isLocalPath = (path: string): boolean => /^\/(?![/\\])[!-[\]-~]*$/.test(path)

/** Returns the path to open after signing in; `/` for an invalid one. */
export function localPath(requested: unknown): string {
  if (typeof requested !== 'string' || !isLocalPath(requested)) return '/'
  return requested.startsWith('/login') ? '/' : requested
}
