/** The upstream is somebody else’s, or there is none. */
export function NoStandIn() {
  return (
    <div className="stack" data-stand-in="none">
      <p>
        The collector does not play upstream. Start it with <code>WAYSTATION_UPSTREAM=stand-in</code>:
      </p>
      <pre>
        <code>WAYSTATION_UPSTREAM=stand-in npm start</code>
      </pre>
    </div>
  )
}
