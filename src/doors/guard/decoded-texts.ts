import { programOf } from './programs.js';

/** What a pipe decodes of texts that stand in it as base64. @param redirects of the command that decodes. */
export function decodedIn(
  commands: readonly (readonly string[])[],
  redirects: readonly { operator: string; target: string }[],
): string[] {
  const decodes = commands.some((words) => {
    const program = programOf(words[0] ?? '');
    const isNamed = /^g?base64$/.test(program) && words.some((word) => /^(-d|-D|-di|--decode)$/.test(word));
    return isNamed || (program === 'openssl' && words.includes('-d') && words.some((word) => /base64|-a/.test(word)));
  });
  if (!decodes) return [];
  const texts = redirects.filter(({ operator }) => operator.startsWith('<<')).map(({ target }) => target);
  return [...commands.flatMap((words) => words.slice(1)), ...texts].flatMap(decode);
}

function decode(text: string): string[] {
  const plain = text.replace(/\\n|\s/g, '');
  if (plain.length < 8 || !/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) return [];
  const decoded = Buffer.from(plain, 'base64').toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is no text is no command.
  return /[\u0000-\u0008\uFFFD]/.test(decoded) ? [] : [decoded];
}
