import { statSync } from 'node:fs'

/** Bytes of a file; 0 where there is none. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
