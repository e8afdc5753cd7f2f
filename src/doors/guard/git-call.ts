/** A call of Git without the options that stand before its command. */
export interface GitCall {
  verb: string;
  /** What is behind the command. */
  rest: readonly string[];
  /** Of `-C`. */
  folder: string | undefined;
  /** It changes settings for this call, which may start programs. */
  configures: boolean;
}

const VALUED = /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix)$/;

/** @param words of a command whose first is `git`. */
export function gitCall(words: readonly string[]): GitCall {
  let at = 1;
  let folder: string | undefined;
  let configures = false;
  for (; at < words.length && words[at]?.startsWith('-'); at += 1) {
    const word = words[at] as string;
    if (/^(-c|--config-env|--exec-path)(=|$)/.test(word)) configures = true;
    if (word === '-C') folder = words[at + 1];
    if (VALUED.test(word)) at += 1;
  }
  return { verb: words[at] ?? '', rest: words.slice(at + 1), folder, configures };
}
