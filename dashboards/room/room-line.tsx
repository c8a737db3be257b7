'use client'

import { printable } from '../words/printable'
import { roomAlarm } from '../words/room'
import styles from './room-line.module.css'
import { useRoom } from './use-room'

/** Under the header of every page: what is lost or broken just now. It goes when the cause is gone, and not before. */
export function RoomLine() {
  const room = useRoom()
  const alarm = room === null ? null : roomAlarm(room)
  return (
    <div role="status">
      {alarm !== null && (
        <p className={styles.line} data-tone={alarm.tone} data-room-line={room?.state}>
          <strong>{capital(alarm.word)}.</strong> {printable(alarm.means)} {alarm.remedy} <a href="/storage">Storage</a>
        </p>
      )}
    </div>
  )
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
