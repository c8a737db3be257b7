import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { BOARD_MODULES } from '../../lib/wire/board-modules'
import type { BoardPath } from '../../lib/wire/pages'
import { BUNDLES } from './processes'

interface Output {
  readonly entryPoint?: string
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
}

/** The files of the boards by their paths, as esbuild describes them. */
export type Outputs = Readonly<Record<string, Output>>

const REACT = /node_modules\/(?:react|react-dom|scheduler)\//
let outputs: Outputs | null = null

function builtOutputs(): Outputs {
  outputs ??= (JSON.parse(readFileSync(join(BUNDLES, 'boards-meta.json'), 'utf8')) as { readonly outputs: Outputs })
    .outputs
  return outputs
}

/** The gzip bytes of a file, and those of React among them, by its share of the bytes before compression. */
export function sizeOf(file: string): { readonly all: number; readonly react: number } {
  const [, output] = Object.entries(builtOutputs()).find(([path]) => basename(path) === file) ?? []
  const inputs = Object.entries(output?.inputs ?? {})
  const bytes = (of: typeof inputs): number => of.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0)
  const all = gzipSync(readFileSync(join(BUNDLES, 'boards', file)), { level: 9 }).length
  return { all, react: all * (bytes(inputs.filter(([path]) => REACT.test(path))) / Math.max(1, bytes(inputs))) }
}

/** The gzip bytes of scripts that no other board loads at first: of the first load, and with all parts loaded later. */
export function boardBytes(path: BoardPath): { readonly first: number; readonly whole: number } {
  const { first, whole } = ownFiles(builtOutputs(), BOARD_MODULES[path], Object.values(BOARD_MODULES))
  const sum = (files: readonly string[]): number => files.reduce((total, file) => total + sizeOf(basename(file)).all, 0)
  return { first: sum(first), whole: sum(whole) }
}

/**
 * The files of a board that no other board loads at first, nor the entry of all.
 * @param boards modules of all boards, as paths in `dashboards/` without extension
 */
export function ownFiles(
  all: Outputs,
  board: string,
  boards: readonly string[],
): { readonly first: readonly string[]; readonly whole: readonly string[] } {
  const fileOf = (name: string): string | undefined =>
    Object.keys(all).find((path) => all[path]?.entryPoint === `dashboards/${name}.tsx`)
  const reach = (names: readonly string[], isWhole: boolean): readonly string[] => {
    const found = new Set(names.flatMap((name) => fileOf(name) ?? []))
    // A set visits what is added during the loop.
    for (const path of found)
      for (const { path: next, kind } of all[path]?.imports ?? [])
        if (isWhole || kind !== 'dynamic-import') found.add(next)
    return [...found]
  }
  const shared = new Set(reach(['site/boards', ...boards.filter((one) => one !== board)], false))
  const own = (isWhole: boolean): readonly string[] => reach([board], isWhole).filter((path) => !shared.has(path))
  return { first: own(false), whole: own(true) }
}
