/** Lines of each log not returned before; updates `shown`, the number of lines by log. */
export function freshLines<Line>(
  logs: readonly { name: string; lines: readonly Line[] }[],
  shown: Map<string, number>,
): Line[] {
  return logs.flatMap(({ name, lines }) => {
    const before = shown.get(name) ?? 0;
    shown.set(name, lines.length);
    return lines.slice(before);
  });
}
