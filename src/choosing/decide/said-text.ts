/** What a person says themselves in a message: without what is quoted, pasted or fenced, which is data and asks for nothing. */
export function saidIn(text: string): string {
  return text
    .replace(/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gm, '\n')
    .replace(/`[^`\n]*`/g, (code) => (ID.test(code.slice(1, -1)) ? code.slice(1, -1) : ' '))
    .split('\n')
    .filter((line) => !PASTED.test(line))
    .map((line) => line.replace(JSON_TEXT, ' '))
    .join('\n')
    .replace(/"([^"\n]*)"|“([^”\n]*)”|«([^»\n]*)»|„([^“”\n]*)[“”]/g, (whole, ...groups) => {
      const said = groups.slice(0, 4).find((group) => typeof group === 'string') ?? '';
      // A quoted name or value is part of the request; a quoted sentence is what someone else says.
      return String(said).trim().split(/\s+/).length <= 3 ? whole : ' ';
    });
}

/** A quoted line, one of a log, or one of a stack trace. */
const PASTED = /^\s*(?:>|at \S+ ?\(|\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?(?:ERROR|WARN|INFO|DEBUG|TRACE)\b)/;

/** An object or a list of JSON in a line, from its first sign to its last. */
const JSON_TEXT = /[{[]\s*["{[].*[}\]]/;

/** An id between backticks is a name, as people write one. */
const ID = /^[\w.-]+$/;

/** Whether nothing is left of a text but signs. */
export function isWordless(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text);
}
