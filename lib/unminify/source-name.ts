const OF_BUNDLER = /^(?:webpack|turbopack|webpack-internal):\/\/[^/]*\/(?:\[project\]\/|\.\/)?(.*)$/
const LIBRARY =
  /(?:^|\/)node_modules\/|(?:^|\/)next\/(?:dist|src)\/|\/__nextjs-internal-|^(?:turbopack|webpack):\/\/[^/]*\/(?:\[(?:turbopack|next|externals)\b|webpack\/|external )|^node:/

/**
 * The name of a source below the folder of its project: `webpack://shop/./app/page.tsx` and
 * `turbopack:///[project]/app/page.tsx` become `app/page.tsx`. @returns `null` for a name that no bundler made up
 */
export const bundledName = (source: string): string | null => OF_BUNDLER.exec(source)?.[1] ?? null

/** Whether a source belongs to a dependency, to Next or to the bundler's runtime. */
export const isLibrarySource = (source: string): boolean => LIBRARY.test(source)
