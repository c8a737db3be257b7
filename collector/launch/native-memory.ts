/**
 * What the collector's process has in its environment from the start, for libc reads it before any of our code runs.
 * By default glibc gives each thread an arena of its own and returns little of it: under a steady load of bodies that are
 * inflated in one thread and freed in another resident memory crept up for as long as it was watched.
 */
export const NATIVE_MEMORY: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '2' }

/**
 * What the main thread makes and drops between two collections (three times this, in MB): V8's own 16 grow with any load. With
 * 4 a backlog's posts cost a tenth more of the processor, and as much memory at most.
 */
export const SMALL_YOUNG_FLAG = '--max-semi-space-size=8'

/**
 * Answers of upstreams are parsed in WebAssembly, of a hundred bytes each: V8's quick compiler does for that, and its thorough one
 * takes 30 MB.
 */
export const QUICK_WASM_FLAG = '--liftoff-only'
