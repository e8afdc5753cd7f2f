/** Log line of a called MCP tool: first the protocol, so that no text of a server precedes it. */
export function toolLine(protocol: string, what: string, end: string): string {
  return `MCP ${protocol}: ${what} -> ${end}`;
}

/** The version of the protocol that such a line names; undefined for any other line, and for those of earlier builds. */
export function protocolIn(line: string): string | undefined {
  return /^MCP (\S+): /.exec(line)?.[1];
}
