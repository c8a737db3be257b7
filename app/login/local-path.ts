/**
 * Where to go after signing in: a path of this app and nothing else, or whoever writes the link decides where a person
 * ends up. `//host` and `/\host` are other hosts to a browser.
 */
export function localPath(asked: unknown): string {
  if (typeof asked !== 'string' || !/^\/(?![/\\])[!-[\]-~]*$/.test(asked)) return '/'
  return asked.startsWith('/login') ? '/' : asked
}
