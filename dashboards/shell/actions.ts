import { clearSettled } from '../ui/clear-settled'
import { client } from '../ui/client'
import { notifyDone } from '../ui/live-stream'
import { navigate } from '../ui/navigation'
import { toggleDensity, toggleTheme } from '../ui/preferences'
import { HAS_LAB } from '../ui/standalone'
import type { Action } from './palette-items'

export interface ActionsOf {
  readonly localDsn: string | null
  /** A saved run is shown, of which nothing can change. */
  readonly isReadOnly: boolean
  readonly fold: () => void
  readonly showKeys: () => void
}

/** The actions of the palette. Those that delete or post are left out for a saved run. */
export function actionsOf({ localDsn, isReadOnly, fold, showKeys }: ActionsOf): readonly Action[] {
  const changes: readonly Action[] = [
    {
      name: 'Clear settled records',
      about: 'deletes what is delivered or kept; pending envelopes stay',
      glyph: 'delete',
      run: clearSettled,
    },
    {
      name: 'Try upstream now',
      about: 'probes every upstream that is paused or backs off',
      glyph: 'pending',
      run: async () => {
        await client.tryNow()
        notifyDone()
      },
    },
  ]
  return [
    ...(localDsn === null
      ? []
      : [
          {
            name: 'Copy the local DSN',
            about: localDsn,
            glyph: 'copy_text',
            run: () => navigator.clipboard.writeText(localDsn),
          } as const,
        ]),
    ...(isReadOnly ? [] : changes),
    ...(HAS_LAB
      ? [{ name: 'Open the lab', about: 'causes telemetry', glyph: 'play', run: () => navigate('/lab') } as const]
      : []),
    { name: 'Light or dark', about: 'changes the theme', glyph: 'theme', run: toggleTheme },
    { name: 'Density', about: 'more or less distance between rows', glyph: 'group', run: toggleDensity },
    { name: 'Fold the navigation', about: 'to icons, or back', glyph: 'previous', keys: ['['], run: fold },
    { name: 'Keyboard shortcuts', about: 'all keys of this page', glyph: 'note', keys: ['?'], run: showKeys },
  ]
}
