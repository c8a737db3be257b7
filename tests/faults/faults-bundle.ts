import type { TestProject } from 'vitest/node'
import { bundleWithFaults } from './bundle-collector'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The program of a collector with fault points that fire. */
    readonly faultsProgram: string
  }
}

/** Bundles the collector with fault points once for all tests of the part. @returns a function that removes the bundle */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const { program, remove } = await bundleWithFaults()
  provide('faultsProgram', program)
  return remove
}
