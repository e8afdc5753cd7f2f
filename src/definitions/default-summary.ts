/** The placeholder that a scaffold writes if it has no summary. Source: C-46. */
export function unsaidSummary(id: string): string {
  return `Say here what ${id} is for.`;
}

/** Whether a text still has such a placeholder, or a TODO. */
export function leavesToSay(text: string): boolean {
  return /\bTODO\b|\bSay here what \S+ is for\./.test(text);
}
