/** A runtime expression, taken apart. Source: Arazzo Specification 1.0.1 and 1.1.0, "Runtime Expressions". */
export type RuntimeExpression =
  | { kind: 'input'; name: string; pointer: string }
  | { kind: 'step'; step: string; output: string; pointer: string }
  | { kind: 'output'; name: string; pointer: string }
  | { kind: 'workflow'; workflow: string; field: string; name: string; pointer: string }
  | { kind: 'status' }
  | { kind: 'method' }
  | { kind: 'body'; pointer: string }
  | { kind: 'header'; name: string }
  | { kind: 'request'; place: 'header' | 'query' | 'path'; name: string }
  | { kind: 'other'; text: string };

const STRICT = '[A-Za-z0-9_-]+';

/** Takes an expression apart; undefined: the text is none. */
export function parseExpression(text: string): RuntimeExpression | undefined {
  if (!/^\$[A-Za-z]/.test(text)) return undefined;
  const [head = '', ...rest] = text.split('#');
  const pointer = rest.join('#');
  if (rest.length > 0 && pointer !== '' && !pointer.startsWith('/')) return { kind: 'other', text };
  if (text === '$statusCode') return { kind: 'status' };
  if (text === '$method') return { kind: 'method' };
  const input = /^\$inputs\.(.+)$/.exec(head);
  if (input?.[1]) return { kind: 'input', name: input[1], pointer };
  const output = /^\$outputs\.(.+)$/.exec(head);
  if (output?.[1]) return { kind: 'output', name: output[1], pointer };
  const step = new RegExp(`^\\$steps\\.(${STRICT})\\.outputs\\.(.+)$`).exec(head);
  if (step?.[1] && step[2]) return { kind: 'step', step: step[1], output: step[2], pointer };
  const workflow = new RegExp(`^\\$workflows\\.(${STRICT})\\.(inputs|outputs)\\.(.+)$`).exec(head);
  if (workflow?.[1] && workflow[2] && workflow[3]) {
    return { kind: 'workflow', workflow: workflow[1], field: workflow[2], name: workflow[3], pointer };
  }
  if (head === '$response.body') return { kind: 'body', pointer };
  const header = /^\$response\.header\.([A-Za-z0-9!#$%&'*+.^_`|~-]+)$/.exec(text);
  if (header?.[1]) return { kind: 'header', name: header[1] };
  const request = /^\$request\.(header|query|path)\.(.+)$/.exec(text);
  if (request?.[1] && request[2]) {
    return { kind: 'request', place: request[1] as 'header' | 'query' | 'path', name: request[2] };
  }
  return { kind: 'other', text };
}

/** A text with expressions in it, `{$..}` each, as its parts in their order. */
export function cutEmbedded(text: string): (string | { expression: string })[] {
  const parts: (string | { expression: string })[] = [];
  let from = 0;
  for (const match of text.matchAll(/\{(\$[^{}]+)\}/g)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push({ expression: match[1] ?? '' });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}
