'use client'

import board from '../ui/board.module.css'
import { ConnectionBanner, ConnectionState } from '../ui/connection-state'
import { Clearing } from './clearing'
import { DiskUse } from './disk-use'
import { Gone } from './gone'
import { Kept } from './kept'
import { Rows } from './rows'
import { StorageState } from './storage-state'
import { useStorage } from './use-storage'

/** `/storage`: how much is kept, how much may be, what had to go, and the ways to make room. */
export function StorageBoard() {
  const { storage, clear, redigest, redigested, ...live } = useStorage()
  const away = live.failure !== null
  return (
    <div className={board.board}>
      <div className={board.bar}>
        <h1>Storage</h1>
        <ConnectionState {...live} />
      </div>
      <ConnectionBanner {...live} />
      {storage === null && !away && <p className="small faint">Reading …</p>}
      {storage !== null && (
        <>
          <StorageState storage={storage} />
          <DiskUse storage={storage} />
          <div className={board.columns}>
            <Kept storage={storage} />
            <Gone storage={storage} />
          </div>
          <div className={board.columns}>
            <Clearing storage={storage} away={away} clear={clear} />
            <Rows rebuild={storage.rebuild} redigested={redigested} away={away} redigest={redigest} />
          </div>
        </>
      )}
    </div>
  )
}
