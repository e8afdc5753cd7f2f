/** The log line of an MCP call. The protocol comes first, so that no text of a server can fake it. */
export function toolLine(protocol: string, what: string, end: string): string {
  return `MCP ${protocol}: ${what} -> ${end}`;
}

/** The protocol version in a log line; undefined for other lines. */
export function protocolIn(line: string): string | undefined {
  return /^MCP (\S+): /.exec(line)?.[1];
}
