/**
 * A text written indented between the code around it: without the indentation of its first line.
 *
 * What is filled in stays as it is.
 */
export function dedented(parts: TemplateStringsArray, ...values: string[]): string {
  const indentation = /^\n( *)/.exec(parts[0] ?? '')?.[1] ?? '';
  const own = parts.map((part) => part.replaceAll(`\n${indentation}`, '\n'));
  const text = own.reduce((before, part, index) => before + (values[index - 1] ?? '') + part);
  return text.replace(/^\n/, '').replace(/ +$/, '');
}
